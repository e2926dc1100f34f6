C     TSRINT as a FORTRAN 77 program calls it.
C     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM TSTF77
      IMPLICIT NONE
      INTEGER NPASS, NFAIL, NCALLS, NBAD
      COMMON /COUNTS/ NPASS, NFAIL, NCALLS, NBAD
      DOUBLE PRECISION ALPHA(3)
      COMMON /MODEL/ ALPHA
      DOUBLE PRECISION A(3), B(3), VAL(4), ERR(4), EXACT, FORWRD, E1
      INTEGER NEVAL, IERR, K
      EXTERNAL FEXP, FMOM, FMODEL, FSTEP, FOUTER, FNAN
      NPASS = 0
      NFAIL = 0
      NCALLS = 0
      NBAD = 0
      E1 = EXP(1D0) - 1D0
      DO 10 K = 1, 3
         A(K) = 0D0
         B(K) = 1D0
   10 CONTINUE

C     One component.
      VAL(2) = 77D0
      ERR(2) = 78D0
      CALL TSRINT(FEXP, 3, A, B, 1, 1D-9, 1000000, VAL, ERR, NEVAL,
     &            IERR)
      CALL CHECK(IERR .EQ. 0, 'one component: status')
      CALL CHECK(ABS(VAL(1) - E1**3) .LE. 1D-9*E1**3,
     &           'one component: value')
      CALL CHECK(ERR(1) .GE. 0D0 .AND. ERR(1) .LE. 1.000001D-9*E1**3,
     &           'one component: error estimate')
      CALL CHECK(NEVAL .EQ. NCALLS .AND. NEVAL .GT. 0,
     &           'one component: evaluations')
      CALL CHECK(ABS(VAL(2) - 77D0) + ABS(ERR(2) - 78D0) .LE. 0D0,
     &           'one component: nothing written behind it')

C     Several components: the moments 1/k of x**(k-1).
      CALL TSRINT(FMOM, 2, A, B, 4, 1D-10, 1000000, VAL, ERR, NEVAL,
     &            IERR)
      CALL CHECK(IERR .EQ. 0, 'four components: status')
      DO 20 K = 1, 4
         CALL CHECK(ABS(VAL(K) - 1D0/K) .LE. 1D-10,
     &              'four components: value')
   20 CONTINUE
      CALL CHECK(NBAD .EQ. 0, 'NDIM and NCOMP reach the integrand')

C     Data in COMMON, another domain, reversed limits.
      ALPHA(1) = 1D0
      ALPHA(2) = -2D0
      ALPHA(3) = 0.5D0
      B(1) = 2D0
      EXACT = (EXP(2D0) - 1D0)*(1D0 - EXP(-2D0))/2D0
     &        *(EXP(0.5D0) - 1D0)/0.5D0
      CALL TSRINT(FMODEL, 3, A, B, 1, 1D-9, 1000000, VAL, ERR, NEVAL,
     &            IERR)
      CALL CHECK(IERR .EQ. 0 .AND. ABS(VAL(1) - EXACT) .LE. 1D-8,
     &           'data in COMMON')
      FORWRD = VAL(1)
      A(1) = 2D0
      B(1) = 0D0
      CALL TSRINT(FMODEL, 3, A, B, 1, 1D-9, 1000000, VAL, ERR, NEVAL,
     &            IERR)
      CALL CHECK(IERR .EQ. 0 .AND. ABS(VAL(1) + FORWRD) .LE. 1D-12,
     &           'reversed limits')
      A(1) = 0D0
      B(1) = 1D0

C     A limit of evaluations: a value and a positive status.
      CALL TSRINT(FSTEP, 3, A, B, 1, 1D-12, 20000, VAL, ERR, NEVAL,
     &            IERR)
      CALL CHECK(IERR .EQ. 1, 'limit of evaluations: status')
      CALL CHECK(NEVAL .GT. 10000 .AND. NEVAL .LE. 20000,
     &           'limit of evaluations: evaluations')
      CALL CHECK(ABS(VAL(1) - ACOS(-1D0)/6D0) .LT. 0.03D0
     &           .AND. ERR(1) .GT. 0D0, 'limit of evaluations: value')

C     An integrand that calls TSRINT for another integral.
      CALL TSRINT(FOUTER, 2, A, B, 1, 1D-6, 1000000, VAL, ERR, NEVAL,
     &            IERR)
      CALL CHECK(IERR .EQ. 0 .AND. ABS(VAL(1) - E1/2D0) .LE. 1D-6,
     &           'an integral inside an integrand')

C     NaN from the integrand never yields 0.
      CALL TSRINT(FNAN, 3, A, B, 1, 1D-6, 1000000, VAL, ERR, NEVAL,
     &            IERR)
      CALL CHECK(IERR .EQ. 7, 'NaN')

C     Wrong arguments: a negative status, and nothing is written.
      VAL(1) = 77D0
      ERR(1) = 78D0
      NEVAL = -1
      CALL TSRINT(FEXP, 0, A, B, 1, 1D-6, 1000, VAL, ERR, NEVAL, IERR)
      CALL CHECK(IERR .EQ. -1, 'NDIM = 0')
      CALL CHECK(NEVAL .EQ. 0, 'NDIM = 0: no evaluations')
      CALL TSRINT(FEXP, -2, A, B, 1, 1D-6, 1000, VAL, ERR, NEVAL, IERR)
      CALL CHECK(IERR .EQ. -1, 'NDIM = -2')
      CALL TSRINT(FEXP, 3, A, B, 0, 1D-6, 1000, VAL, ERR, NEVAL, IERR)
      CALL CHECK(IERR .EQ. -1, 'NCOMP = 0')
      CALL TSRINT(FEXP, 3, A, B, 1, -1D0, 1000, VAL, ERR, NEVAL, IERR)
      CALL CHECK(IERR .EQ. -4, 'RELTOL = -1')
      CALL TSRINT(FEXP, 3, A, B, 1, 1D-6, 0, VAL, ERR, NEVAL, IERR)
      CALL CHECK(IERR .EQ. -4, 'MAXEV = 0')
      B(2) = SQRT(A(1) - 1D0)
      CALL TSRINT(FEXP, 3, A, B, 1, 1D-6, 1000, VAL, ERR, NEVAL, IERR)
      CALL CHECK(IERR .EQ. -1, 'a limit that is NaN')
      CALL CHECK(ABS(VAL(1) - 77D0) + ABS(ERR(1) - 78D0) .LE. 0D0,
     &           'wrong arguments leave VAL and ERR alone')

      WRITE (*, '(I0, A, I0, A)') NPASS, ' passed, ', NFAIL, ' failed'
      IF (NFAIL .GT. 0) STOP 1
      END

      SUBROUTINE CHECK(OK, WHAT)
      IMPLICIT NONE
      LOGICAL OK
      CHARACTER*(*) WHAT
      INTEGER NPASS, NFAIL, NCALLS, NBAD
      COMMON /COUNTS/ NPASS, NFAIL, NCALLS, NBAD
      IF (OK) THEN
         NPASS = NPASS + 1
      ELSE
         NFAIL = NFAIL + 1
         WRITE (*, '(2A)') 'FAILED: ', WHAT
      END IF
      END

      SUBROUTINE FEXP(NDIM, X, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP
      DOUBLE PRECISION X(NDIM), FVAL(NCOMP)
      INTEGER NPASS, NFAIL, NCALLS, NBAD
      COMMON /COUNTS/ NPASS, NFAIL, NCALLS, NBAD
      NCALLS = NCALLS + 1
      FVAL(1) = EXP(X(1) + X(2) + X(3))
      END

      SUBROUTINE FMOM(NDIM, X, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP, K
      DOUBLE PRECISION X(NDIM), FVAL(NCOMP)
      INTEGER NPASS, NFAIL, NCALLS, NBAD
      COMMON /COUNTS/ NPASS, NFAIL, NCALLS, NBAD
      IF (NDIM .NE. 2 .OR. NCOMP .NE. 4) NBAD = NBAD + 1
      DO 10 K = 1, NCOMP
         FVAL(K) = X(2)**(K - 1)
   10 CONTINUE
      END

      SUBROUTINE FMODEL(NDIM, X, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP, J
      DOUBLE PRECISION X(NDIM), FVAL(NCOMP), T
      DOUBLE PRECISION ALPHA(3)
      COMMON /MODEL/ ALPHA
      T = 0D0
      DO 10 J = 1, NDIM
         T = T + ALPHA(J)*X(J)
   10 CONTINUE
      FVAL(1) = EXP(T)
      END

      SUBROUTINE FSTEP(NDIM, X, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP
      DOUBLE PRECISION X(NDIM), FVAL(NCOMP)
      FVAL(1) = 0D0
      IF (X(1)**2 + X(2)**2 + X(3)**2 .LT. 1D0) FVAL(1) = 1D0
      END

C     X(1) times the integral of exp over the unit interval.
      SUBROUTINE FOUTER(NDIM, X, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP, NEVAL, IERR
      DOUBLE PRECISION X(NDIM), FVAL(NCOMP), A(1), B(1), VAL(1), ERR(1)
      EXTERNAL FINNER
      A(1) = 0D0
      B(1) = 1D0
      CALL TSRINT(FINNER, 1, A, B, 1, 1D-10, 100000, VAL, ERR, NEVAL,
     &            IERR)
      FVAL(1) = X(1)*VAL(1)
      IF (IERR .NE. 0) FVAL(1) = -1D3
      END

      SUBROUTINE FINNER(NDIM, X, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP
      DOUBLE PRECISION X(NDIM), FVAL(NCOMP)
      FVAL(1) = EXP(X(1))
      END

      SUBROUTINE FNAN(NDIM, X, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP
      DOUBLE PRECISION X(NDIM), FVAL(NCOMP)
      FVAL(1) = SQRT(X(1) - 0.5D0)
      END
