C     The probability that all components of a normal vector are positive, by ADAPT. The covariance is in COMMON.
C     With unit variances and all correlations 1/2 it is 1/(N + 1); with the correlations of a first-order chain, RHO**|I-J|, it
C     is known in closed form for N = 3. The probability is an integral over the unit cube of N - 1 dimensions (Genz 1992).
C     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM NORMPR
      INTEGER MOST
      PARAMETER (MOST = 10)
      INTEGER N, I, J, NWRONG
      DOUBLE PRECISION COV(MOST, MOST), PI, RHO, EXACT
      PI = ACOS(-1D0)
      NWRONG = 0
      PRINT '(A)', '  N    CALLS      PROBABILITY        EXACTLY'
      DO 30 N = 2, 5
         DO 20 I = 1, N
            DO 10 J = 1, N
               COV(I, J) = 0.5D0
   10       CONTINUE
            COV(I, I) = 1D0
   20    CONTINUE
         CALL ORTHNT(N, COV, MOST, 1D0/(N + 1), NWRONG)
   30 CONTINUE
      RHO = 0.8D0
      DO 50 I = 1, 3
         DO 40 J = 1, 3
            COV(I, J) = RHO**ABS(I - J)
   40    CONTINUE
   50 CONTINUE
      EXACT = 1D0/8D0 + (2D0*ASIN(RHO) + ASIN(RHO*RHO))/(4D0*PI)
      CALL ORTHNT(3, COV, MOST, EXACT, NWRONG)
      IF (NWRONG .GT. 0) STOP 1
      PRINT '(A)', 'as in closed form'
      END

C     One probability, in parts: a call of ADAPT to learn what a rule costs, a first call, and more until it is good enough.
      SUBROUTINE ORTHNT(N, COV, LDCOV, EXACT, NWRONG)
      INTEGER N, LDCOV, NWRONG, MOST, LENWRK
      PARAMETER (MOST = 10, LENWRK = 6000)
      DOUBLE PRECISION COV(LDCOV, N), EXACT
      INTEGER NVAR
      DOUBLE PRECISION CHOL(MOST, MOST)
      COMMON /NORMAL/ CHOL, NVAR
      INTEGER I, J, K, MINCLS, MAXCLS, INFORM, NCALLS, NDIM, IRULE
      DOUBLE PRECISION S, WORK(LENWRK), ABSEST, VALUE, ABSREQ, RELREQ
      DOUBLE PRECISION POSITV
      EXTERNAL POSITV
C     The Cholesky factor.
      DO 30 J = 1, N
         DO 20 I = J, N
            S = COV(I, J)
            DO 10 K = 1, J - 1
               S = S - CHOL(I, K)*CHOL(J, K)
   10       CONTINUE
            IF (I .EQ. J) THEN
               CHOL(J, J) = SQRT(S)
            ELSE
               CHOL(I, J) = S/CHOL(J, J)
            END IF
   20    CONTINUE
   30 CONTINUE
      NVAR = N
      NDIM = N - 1
      ABSREQ = 1D-5
      RELREQ = 0D0
      MINCLS = 1
      CALL ADAPT(NDIM, MINCLS, 0, POSITV, ABSREQ, RELREQ, LENWRK, WORK,
     &           ABSEST, VALUE, INFORM)
      IRULE = MINCLS
      MAXCLS = 100*IRULE
      MINCLS = 0
      NCALLS = 0
      DO 40 I = 1, 20
         CALL ADAPT(NDIM, MINCLS, MAXCLS, POSITV, ABSREQ, RELREQ,
     &              LENWRK, WORK, ABSEST, VALUE, INFORM)
         NCALLS = NCALLS + MINCLS
         MINCLS = -1
         IF (INFORM .EQ. 0) GO TO 50
   40 CONTINUE
   50 PRINT '(I3, I9, 2F17.10)', N, NCALLS, VALUE, EXACT
      IF (INFORM .NE. 0 .OR. ABS(VALUE - EXACT) .GT. 1D-5)
     &   NWRONG = NWRONG + 1
      END

C     The integrand: the variables are drawn one after the other, each from the part of its distribution that is positive.
      DOUBLE PRECISION FUNCTION POSITV(NDIM, Z)
      INTEGER NDIM, MOST, NVAR, I, K
      PARAMETER (MOST = 10)
      DOUBLE PRECISION Z(NDIM), CHOL(MOST, MOST), Y(MOST), S, D, PROB
      DOUBLE PRECISION QNORM
      COMMON /NORMAL/ CHOL, NVAR
      PROB = 0.5D0
      D = 0.5D0
      DO 20 I = 2, NVAR
         Y(I - 1) = QNORM(D + Z(I - 1)*(1D0 - D))
         S = 0D0
         DO 10 K = 1, I - 1
            S = S + CHOL(I, K)*Y(K)
   10    CONTINUE
C        The share of the I-th distribution that is cut off.
         D = 0.5D0*ERFC(S/CHOL(I, I)/SQRT(2D0))
         PROB = PROB*(1D0 - D)
   20 CONTINUE
      POSITV = PROB
      END

C     The quantile of the normal distribution: Newton's method on the logarithm of the smaller tail.
      DOUBLE PRECISION FUNCTION QNORM(P)
      DOUBLE PRECISION P, T, Q, X, TAIL, DENS, STEP
      INTEGER I
      T = MIN(P, 1D0 - P)
      IF (T .LE. 0D0) THEN
         QNORM = SIGN(38D0, P - 0.5D0)
         RETURN
      END IF
      Q = LOG(T)
      X = 0D0
      DO 10 I = 1, 60
         TAIL = 0.5D0*ERFC(X/SQRT(2D0))
         DENS = EXP(-0.5D0*X*X)/2.506628274631000502D0
         STEP = TAIL*(LOG(TAIL) - Q)/DENS
         X = X + STEP
         IF (ABS(STEP) .LE. 1D-15*(1D0 + ABS(X))) GO TO 20
   10 CONTINUE
   20 QNORM = X
      IF (P .LT. 0.5D0) QNORM = -X
      END
