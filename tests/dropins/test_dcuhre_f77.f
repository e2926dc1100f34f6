C     DCUHRE and SCUHRE as a FORTRAN 77 program calls them. Compiled with default integers, and again with 8-byte ones.
C     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM TDCF77
      IMPLICIT NONE
      INTEGER NW
      PARAMETER (NW = 20000)
      INTEGER NFAIL, NCALLS
      COMMON /COUNTS/ NFAIL, NCALLS
      DOUBLE PRECISION ALPHA(3)
      COMMON /MODEL/ ALPHA
      DOUBLE PRECISION A(3), B(3), RESULT(2), ABSERR(2), WORK(NW), EXACT
      DOUBLE PRECISION WHOLE(2), WHERR(2)
      REAL SA(3), SB(3), SRES(2), SERR(2), SWORK(NW)
      INTEGER NEVAL, IFAIL, J, MAXPTS, NBEFOR
      EXTERNAL FMODEL, SMODEL, FCANCL
      NFAIL = 0
      NCALLS = 0
      EXACT = 1D0
      DO 10 J = 1, 3
         A(J) = 0D0
         B(J) = 1D0
         SA(J) = 0E0
         SB(J) = 1E0
         ALPHA(J) = J
         EXACT = EXACT*(1D0 - EXP(-DBLE(J)))/J
   10 CONTINUE

C     Data in COMMON. In the call every integer is a literal constant.
      CALL DCUHRE(3, 2, A, B, 0, 50000, FMODEL, 0D0, 1D-8, 0, NW, 0,
     &            RESULT, ABSERR, NEVAL, IFAIL, WORK)
      CALL CHECK(IFAIL .EQ. 0, 'IFAIL')
      CALL CHECK(ABS(RESULT(1) - EXACT) .LE. 1D-8*EXACT, 'RESULT(1)')
      CALL CHECK(ABS(RESULT(2) - 2*EXACT) .LE. 2D-8*EXACT, 'RESULT(2)')
      CALL CHECK(NEVAL .EQ. NCALLS .AND. MOD(NEVAL, 127) .EQ. 0,
     &           'NEVAL')
      CALL CHECK(NINT(WORK(NW)) .EQ. (NEVAL/127 + 1)/2, 'WORK(NW)')

C     Reversed limits.
      A(2) = 1D0
      B(2) = 0D0
      CALL DCUHRE(3, 2, A, B, 0, 50000, FMODEL, 0D0, 1D-8, 0, NW, 0,
     &            WHOLE, ABSERR, NEVAL, IFAIL, WORK)
      CALL CHECK(ABS(WHOLE(1) + RESULT(1)) .LE. 1D-12, 'reversed')

C     A run in two parts.
      MAXPTS = 20000
      CALL DCUHRE(3, 2, A, B, 0, MAXPTS, FMODEL, 0D0, 0D0, 3, NW, 0,
     &            WHOLE, WHERR, NBEFOR, IFAIL, WORK)
      CALL CHECK(IFAIL .EQ. 1 .AND. NBEFOR .LE. MAXPTS, 'whole run')
      CALL DCUHRE(3, 2, A, B, 0, 7000, FMODEL, 0D0, 0D0, 3, NW, 0,
     &            RESULT, ABSERR, NEVAL, IFAIL, WORK)
      CALL DCUHRE(3, 2, A, B, 0, MAXPTS, FMODEL, 0D0, 0D0, 3, NW, 1,
     &            RESULT, ABSERR, NEVAL, IFAIL, WORK)
      CALL CHECK(NEVAL .EQ. NBEFOR, 'parts: NEVAL')
      DO 20 J = 1, 2
         CALL CHECK(RESULT(J) .EQ. WHOLE(J), 'parts: RESULT')
         CALL CHECK(ABSERR(J) .EQ. WHERR(J), 'parts: ABSERR')
   20 CONTINUE

C     Wrong arguments: nothing but IFAIL is written.
      NEVAL = -5
      RESULT(1) = -6D0
      CALL DCUHRE(3, 2, A, B, 0, 380, FMODEL, 0D0, 0D0, 0, NW, 0,
     &            RESULT, ABSERR, NEVAL, IFAIL, WORK)
      CALL CHECK(IFAIL .EQ. 8, 'IFAIL 8')
      CALL CHECK(NEVAL .EQ. -5 .AND. RESULT(1) .EQ. -6D0, 'untouched')
      CALL DCUHRE(3, 2, A, B, 0, 50000, FMODEL, 0D0, 0D0, 0, 1000, 0,
     &            RESULT, ABSERR, NEVAL, IFAIL, WORK)
      CALL CHECK(IFAIL .EQ. 11, 'IFAIL 11')

C     Settings.
      NCALLS = 0
      CALL DCUHRE(3, 2, A, B, 0, 50000, FCANCL, 0D0, 0D0, 0, NW, 0,
     &            RESULT, ABSERR, NEVAL, IFAIL, WORK)
      CALL CHECK(IFAIL .EQ. 1 .AND. NCALLS .EQ. 1000, 'cancelled')
      CALL TESSERA_DCUHRE_EXTENDED(0)
      CALL TESSERA_DCUHRE_THREADS(1)

C     Single precision.
      CALL SCUHRE(3, 2, SA, SB, 0, 50000, SMODEL, 0E0, 1E-4, 0, NW, 0,
     &            SRES, SERR, NEVAL, IFAIL, SWORK)
      CALL CHECK(IFAIL .EQ. 0, 'SCUHRE: IFAIL')
      CALL CHECK(ABS(SRES(1) - EXACT) .LE. 1D-4*EXACT, 'SCUHRE: RESULT')

      IF (NFAIL .GT. 0) STOP 1
      PRINT '(A)', 'all good'
      END

      SUBROUTINE FMODEL(NDIM, X, NUMFUN, F)
      IMPLICIT NONE
      INTEGER NDIM, NUMFUN, J, NFAIL, NCALLS
      DOUBLE PRECISION X(NDIM), F(NUMFUN), ALPHA(3), S
      COMMON /COUNTS/ NFAIL, NCALLS
      COMMON /MODEL/ ALPHA
      NCALLS = NCALLS + 1
      S = 0D0
      DO 10 J = 1, NDIM
         S = S + ALPHA(J)*X(J)
   10 CONTINUE
      F(1) = EXP(-S)
      F(2) = 2D0*F(1)
      END

      SUBROUTINE FCANCL(NDIM, X, NUMFUN, F)
      IMPLICIT NONE
      INTEGER NDIM, NUMFUN, NFAIL, NCALLS
      DOUBLE PRECISION X(NDIM), F(NUMFUN)
      COMMON /COUNTS/ NFAIL, NCALLS
      CALL FMODEL(NDIM, X, NUMFUN, F)
      IF (NCALLS .EQ. 1000) CALL TESSERA_DCUHRE_CANCEL
      END

      SUBROUTINE SMODEL(NDIM, X, NUMFUN, F)
      IMPLICIT NONE
      INTEGER NDIM, NUMFUN, J
      REAL X(NDIM), F(NUMFUN)
      DOUBLE PRECISION ALPHA(3), S
      COMMON /MODEL/ ALPHA
      S = 0D0
      DO 10 J = 1, NDIM
         S = S + ALPHA(J)*X(J)
   10 CONTINUE
      F(1) = REAL(EXP(-S))
      F(2) = 2*F(1)
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
