C     A twin registered from FORTRAN 77. Without a device ADAPT calls the function itself.
C     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM TTWF77
      IMPLICIT NONE
      INTEGER LENWRK, LANGC
      PARAMETER (LENWRK = 4000, LANGC = 2)
      INTEGER NFAIL, NCALLS
      COMMON /COUNTS/ NFAIL, NCALLS
      DOUBLE PRECISION ALPHA(3)
      COMMON /MODEL/ ALPHA
      DOUBLE PRECISION WORK(LENWRK), ABSEST, FINEST, EXACT
      DOUBLE PRECISION ZERO(3), ONE(3), VAL(1), ERR(1)
      INTEGER MINCLS, INFORM, IERR, I, J, NEVAL
      CHARACTER*400 TEXT
      EXTERNAL FMODEL, FSAME
      DATA ZERO /3*0D0/, ONE /3*1D0/
      NFAIL = 0
      TEXT = '#include <math.h>' // CHAR(10) //
     &  'int decay(int n, const double *z, int k, double *f, ' //
     &  'void *params) { const double *a = params; double s = 0;' //
     &  ' for (int j = 0; j < n; ++j) s += a[j]*z[j]; ' //
     &  'f[0] = exp(-s); return 0; }'

C     Wrong arguments.
      CALL TESSERA_REGISTER_TWIN(FMODEL, 77, TEXT, 0, 'decay', ALPHA,
     &                           24, IERR)
      CALL CHECK(IERR .EQ. -1, 'language')
      CALL TESSERA_REGISTER_TWIN(FMODEL, LANGC, 'nowhere.c', 1,
     &                           'decay', ALPHA, 24, IERR)
      CALL CHECK(IERR .EQ. -1, 'file')
      CALL TESSERA_REGISTER_TWIN(FMODEL, LANGC, TEXT, 0, ' ', ALPHA,
     &                           24, IERR)
      CALL CHECK(IERR .EQ. -1, 'name')

      CALL TESSERA_REGISTER_TWIN(FMODEL, LANGC, TEXT, 0, 'decay',
     &                           ALPHA, 24, IERR)
      CALL CHECK(IERR .EQ. 0, 'registered')
      CALL TESSERA_REGISTER_TWIN(FSAME, LANGC, TEXT, 0, 'decay',
     &                           ALPHA, 24, IERR)
      CALL CHECK(IERR .EQ. 0, 'registered too')
C     The data change between the calls.
      DO 20 I = 1, 3
         EXACT = 1D0
         DO 10 J = 1, 3
            ALPHA(J) = I*J
            EXACT = EXACT*(1D0 - EXP(-ALPHA(J)))/ALPHA(J)
   10    CONTINUE
         NCALLS = 0
         MINCLS = 0
         CALL ADAPT(3, MINCLS, 2000000, FMODEL, 0D0, 1D-6, LENWRK,
     &              WORK, ABSEST, FINEST, INFORM)
         CALL CHECK(INFORM .EQ. 0, 'INFORM')
         CALL CHECK(ABS(FINEST - EXACT) .LE. 1D-5*EXACT, 'FINEST')
C        On a device the function is called for the comparison only.
         CALL CHECK(NCALLS .EQ. MINCLS .OR. NCALLS .EQ. 64, 'calls')
C        TSRINT asks for a twin, too.
         NCALLS = 0
         CALL TSRINT(FSAME, 3, ZERO, ONE, 1, 1D-6, 2000000, VAL, ERR,
     &               NEVAL, IERR)
         CALL CHECK(IERR .EQ. 0 .AND. NEVAL .GT. 0, 'IERR')
         CALL CHECK(ABS(VAL(1) - EXACT) .LE. 1D-5*EXACT, 'VAL')
         CALL CHECK(NCALLS .EQ. NEVAL .OR. NCALLS .EQ. 64,
     &              'calls of TSRINT')
   20 CONTINUE
      IF (NFAIL .GT. 0) STOP 1
      PRINT '(A)', 'all good'
      END

      SUBROUTINE FSAME(NDIM, Z, NCOMP, F)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP
      DOUBLE PRECISION Z(NDIM), F(NCOMP), FMODEL
      F(1) = FMODEL(NDIM, Z)
      END

      DOUBLE PRECISION FUNCTION FMODEL(NDIM, Z)
      IMPLICIT NONE
      INTEGER NDIM, J, NFAIL, NCALLS
      DOUBLE PRECISION Z(NDIM), ALPHA(3), S
      COMMON /COUNTS/ NFAIL, NCALLS
      COMMON /MODEL/ ALPHA
      NCALLS = NCALLS + 1
      S = 0D0
      DO 10 J = 1, NDIM
         S = S + ALPHA(J)*Z(J)
   10 CONTINUE
      FMODEL = EXP(-S)
      END

      SUBROUTINE CHECK(GOOD, WHAT)
      IMPLICIT NONE
      LOGICAL GOOD
      CHARACTER*(*) WHAT
      INTEGER NFAIL, NCALLS
      COMMON /COUNTS/ NFAIL, NCALLS
      IF (GOOD) RETURN
      NFAIL = NFAIL + 1
      PRINT '(2A)', 'wrong: ', WHAT
      END
