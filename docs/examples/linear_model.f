C     A Bayesian linear model, 10 variables (M. Evans and T. Swartz,
C     Statistical Science 10, 1995, 254-272), as a FORTRAN 77 program
C     that calls TSRINT. One run gives nine integrals: the normalising
C     constant of the posterior density, the means of theta1, theta2,
C     theta4 and theta10, and the means of their squares.
C
C     Nine groups of five observations; theta1..theta9 are the means of
C     the groups, theta10 is log sigma:
C
C       f(theta) = exp(-45 theta10)
C                  * prod g((y(i,j) - theta(i)) / exp(theta10)),
C       g(z) = (2/pi) / (1 + z*z)**2,  Student's t with 3 degrees of
C                                      freedom and unit variance.
C
C     Integrated as it stands, over a cube of half-width 5 around the
C     mode (outside lies 1.6D-10 of the integral), f is a peak that
C     fills a billionth of the volume: published parallel runs took
C     2.5D10 evaluations on 128 processes, 592 seconds, for
C     1.3065D-22 +- 2.7D-25. This program changes variables first, as a
C     statistician would, and covers all of R**10:
C
C     1. Whitening (RIDGE, WHITEN). For a given theta10 the density of
C        theta1..theta9 has its mode at m(theta10) and a diagonal
C        Hessian there; theta(i) = m(i) + w(i) u(i) with w(i) from the
C        Hessian. m and w are tabulated over theta10.
C     2. Flattening (TABLES, FLAT). Each u(i), and theta10, is the
C        inverse of an approximate distribution function at a variable
C        t(i) in (0, 1): the integral of f along that axis, averaged
C        over theta10 for u(1)..u(9). One part in 10000 goes to a
C        density with long tails, so that no region is left out.
C
C     Both steps are exact changes of variables: how good the tables are
C     decides about speed, not about the value. What is left to
C     integrate over the unit cube is nearly constant.
C
C     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM LINMOD
      USE TESSERA, ONLY: TESSERA_STATUS_STRING
      IMPLICIT NONE
      INTEGER NDIM, NCOMP, MAXEV
      PARAMETER (NDIM = 10, NCOMP = 9, MAXEV = 100000000)
      DOUBLE PRECISION A(NDIM), B(NDIM), VAL(NCOMP), ERR(NCOMP)
      DOUBLE PRECISION EXACT(NCOMP), PUBL(NCOMP), SCALE, MEAN, MERR
      CHARACTER*14 NAME(NCOMP)
      INTEGER NEVAL, IERR, K, IBEGIN, IEND, IRATE, NBAD
      EXTERNAL POST
C     The constant: Evans and Swartz give 1.31D-22. These digits, and
C     those of the means, come from nested one-dimensional quadrature,
C     which the structure of this posterior allows.
      DATA EXACT /1.30563865391715646D-22,
     &   2.042817870D0, 0.094545779D0, 0.017990889D0, -0.073021608D0,
     &   4.263728704D0, 0.081031621D0, 0.069249878D0, 0.032744377D0/
      DATA PUBL /1.31D-22, 2.043D0, 0.095D0, 0.018D0, -0.073D0,
     &   4.263D0, 0.081D0, 0.069D0, 0.033D0/
      DATA NAME /'constant', 'E theta1', 'E theta2', 'E theta4',
     &   'E theta10', 'E theta1**2', 'E theta2**2', 'E theta4**2',
     &   'E theta10**2'/

      CALL SYSTEM_CLOCK(IBEGIN, IRATE)
      CALL RIDGE
      CALL TABLES
      DO 10 K = 1, NDIM
         A(K) = 0D0
         B(K) = 1D0
   10 CONTINUE
      CALL TSRINT(POST, NDIM, A, B, NCOMP, 1D-4, MAXEV, VAL, ERR,
     &            NEVAL, IERR)
      CALL SYSTEM_CLOCK(IEND)
      IF (IERR .LT. 0) THEN
         WRITE (*, *) TESSERA_STATUS_STRING(IERR)
         STOP 1
      END IF

      WRITE (*, '(A)') 'Bayesian linear model, 10 variables'
      WRITE (*, '(2A)') 'status       ', TESSERA_STATUS_STRING(IERR)
      WRITE (*, '(A, I0)') 'evaluations  ', NEVAL
      WRITE (*, '(A, F0.1)') 'seconds      ',
     &   DBLE(IEND - IBEGIN)/IRATE
      WRITE (*, '(/, 2A)') '                      value   ',
     &   'error estimate  true error   published'
C     POST leaves out the factor (2/pi)**45 and multiplies by 20**9.
      SCALE = (0.5D0/ATAN(1D0))**45/20D0**9
      VAL(1) = VAL(1)*SCALE
      ERR(1) = ERR(1)*SCALE
      WRITE (*, '(A, ES16.6, ES14.1, ES14.1, ES13.2)') NAME(1), VAL(1),
     &   ERR(1), ABS(VAL(1) - EXACT(1)), PUBL(1)
      NBAD = 0
      IF (.NOT. ABS(VAL(1) - EXACT(1)) .LE. ERR(1)) NBAD = NBAD + 1
      DO 20 K = 2, NCOMP
         MEAN = VAL(K)*SCALE/VAL(1)
         MERR = (ERR(K)*SCALE + ABS(MEAN)*ERR(1))/VAL(1)
         WRITE (*, '(A, F16.6, ES14.1, ES14.1, F13.3)') NAME(K), MEAN,
     &      MERR, ABS(MEAN - EXACT(K)), PUBL(K)
         IF (.NOT. ABS(MEAN - EXACT(K)) .LE. MERR) NBAD = NBAD + 1
   20 CONTINUE
      IF (NBAD .GT. 0) THEN
         WRITE (*, *) NBAD, ' errors are greater than estimated'
         STOP 1
      END IF
      END

C     The observations, and the mode of f.
      BLOCK DATA OBSERV
      IMPLICIT NONE
      DOUBLE PRECISION Y(5, 9), TMODE(10)
      COMMON /OBS/ Y, TMODE
      DATA Y /
     &   1.951754965D0,  2.885632419D0,  2.391451482D0,
     &   1.731576578D0,  1.421926027D0,
     &  -0.638321684D0,  0.186636475D0, -0.009514517D0,
     &   0.495339037D0,  0.261643198D0,
     &   2.833250710D0,  1.098441287D0, -0.476050335D0,
     &  -0.383252862D0,  1.128895153D0,
     &   0.041946195D0,  0.174042986D0, -0.581710481D0,
     &   0.447193674D0, -0.071116204D0,
     &  -0.616061349D0, -0.513835377D0, -1.321292735D0,
     &   0.043171116D0,  0.072504593D0,
     &  -0.816614843D0,  0.934854744D0, -0.156455228D0,
     &  -0.172299695D0, -0.174379640D0,
     &  -0.878534226D0,  0.028068692D0, -0.110434509D0,
     &  -1.193255325D0,  0.973952349D0,
     &  -0.610598648D0, -0.548582027D0, -0.544598812D0,
     &  -0.402896237D0, -1.299835892D0,
     &   0.289558508D0,  0.755147497D0, -0.149990572D0,
     &   0.746211189D0, -3.006485474D0/
      DATA TMODE /2.0181844586D0, 0.1164033358D0, 0.8829971058D0,
     &   0.0286137933D0, -0.4075284444D0, -0.1719809578D0,
     &  -0.2705947873D0, -0.6290830366D0, 0.3696063212D0,
     &  -0.2324376111D0/
      END

C     f without (2/pi)**45 and with a factor 20 for every group, which
C     keeps the products near 1. 45 multiplications and one division
C     for each group.
      DOUBLE PRECISION FUNCTION DENS(THETA)
      IMPLICIT NONE
      DOUBLE PRECISION THETA(10)
      DOUBLE PRECISION Y(5, 9), TMODE(10)
      COMMON /OBS/ Y, TMODE
      DOUBLE PRECISION E, E5, P
      INTEGER I
      E = EXP(-THETA(10))
      E5 = 20D0*E**5
      DENS = 1D0
      DO 10 I = 1, 9
         P = (1D0 + ((Y(1, I) - THETA(I))*E)**2)
     &      *(1D0 + ((Y(2, I) - THETA(I))*E)**2)
     &      *(1D0 + ((Y(3, I) - THETA(I))*E)**2)
     &      *(1D0 + ((Y(4, I) - THETA(I))*E)**2)
     &      *(1D0 + ((Y(5, I) - THETA(I))*E)**2)
         DENS = DENS*(E5/(P*P))
   10 CONTINUE
      END

C     The modes of theta1..theta9 for NG + 1 values of theta10 in
C     (GA, GB), by Newton's method from the mode of f in both
C     directions, and the widths from the second derivatives.
      SUBROUTINE RIDGE
      IMPLICIT NONE
      INTEGER NG
      DOUBLE PRECISION GA, GB
      PARAMETER (NG = 600, GA = -1.6D0, GB = 1.9D0)
      DOUBLE PRECISION RM(9, 0:NG), RW(9, 0:NG), DM(9, 0:NG),
     &   DW(9, 0:NG)
      COMMON /RIDGES/ RM, RW, DM, DW
      DOUBLE PRECISION Y(5, 9), TMODE(10)
      COMMON /OBS/ Y, TMODE
      DOUBLE PRECISION T, S2, R, G, H, FLOOR
      INTEGER I, J, K, K0, K1, KSTEP, ITER
      K0 = NINT((TMODE(10) - GA)/(GB - GA)*NG)
      DO 50 I = 1, 9
         DO 40 KSTEP = -1, 1, 2
            T = TMODE(I)
            K1 = 0
            IF (KSTEP .GT. 0) K1 = NG
            DO 30 K = K0, K1, KSTEP
               S2 = EXP(2D0*(GA + K*(GB - GA)/NG))
C              A width of at most half sigma: for small sigma a group
C              with scattered observations has a flat top.
               FLOOR = 4D0/S2
               DO 20 ITER = 1, 50
                  G = 0D0
                  H = 0D0
                  DO 10 J = 1, 5
                     R = Y(J, I) - T
                     G = G + 4D0*R/(S2 + R*R)
                     H = H + 4D0*(S2 - R*R)/(S2 + R*R)**2
   10             CONTINUE
                  R = G/MAX(H, FLOOR/4D0)
                  T = T + SIGN(MIN(ABS(R), 0.2D0*SQRT(S2)), R)
   20          CONTINUE
               RM(I, K) = T
               RW(I, K) = 1D0/SQRT(MAX(H, FLOOR))
   30       CONTINUE
   40    CONTINUE
C        Differences, for cubic interpolation.
         DO 45 K = 0, NG
            J = MAX(K - 1, 0)
            K1 = MIN(K + 1, NG)
            DM(I, K) = (RM(I, K1) - RM(I, J))/(K1 - J)
            DW(I, K) = (RW(I, K1) - RW(I, J))/(K1 - J)
   45    CONTINUE
   50 CONTINUE
      END

C     THETA(1..9) from U(1..9) and THETA(10), and f there times the
C     determinant of the transformation.
      DOUBLE PRECISION FUNCTION WHITEN(U, THETA)
      IMPLICIT NONE
      DOUBLE PRECISION U(10), THETA(10)
      INTEGER NG
      DOUBLE PRECISION GA, GB
      PARAMETER (NG = 600, GA = -1.6D0, GB = 1.9D0)
      DOUBLE PRECISION RM(9, 0:NG), RW(9, 0:NG), DM(9, 0:NG),
     &   DW(9, 0:NG)
      COMMON /RIDGES/ RM, RW, DM, DW
      DOUBLE PRECISION P, X, A1, A2, B1, B2, GROW, W, DENS
      INTEGER I, K
      WHITEN = 0D0
C     Out there f has long vanished.
      IF (ABS(THETA(10)) .GT. 12D0) THEN
         DO 5 I = 1, 9
            THETA(I) = 0D0
    5    CONTINUE
         RETURN
      END IF
C     Outside the table the modes stay and the widths grow with sigma.
      P = MIN(MAX(THETA(10), GA), GB)
      GROW = 1D0
      IF (ABS(THETA(10) - P) .GT. 0D0) GROW = EXP(THETA(10) - P)
      P = (P - GA)/(GB - GA)*NG
      K = MIN(INT(P), NG - 1)
      X = P - K
      A2 = X*X*(3D0 - 2D0*X)
      A1 = 1D0 - A2
      B1 = X*(1D0 - X)**2
      B2 = -X*X*(1D0 - X)
      WHITEN = 1D0
      DO 10 I = 1, 9
         W = GROW*(A1*RW(I, K) + A2*RW(I, K + 1)
     &           + B1*DW(I, K) + B2*DW(I, K + 1))
         THETA(I) = A1*RM(I, K) + A2*RM(I, K + 1)
     &            + B1*DM(I, K) + B2*DM(I, K + 1) + W*U(I)
         WHITEN = WHITEN*W
   10 CONTINUE
      WHITEN = WHITEN*DENS(THETA)
      END

C     For every axis the inverse of a distribution function, at NT + 1
C     equidistant values of t: TV is v, the coordinate of the axis
C     brought to (-1, 1) by u = C v / sqrt(1 - v*v), and TD = dv/dt.
      SUBROUTINE TABLES
      IMPLICIT NONE
      INTEGER NT, MV, NS
      DOUBLE PRECISION C, CENTRE, WIDTH, SPAN, TAIL
      PARAMETER (NT = 4096, MV = 8000, NS = 16, C = 2D0)
      PARAMETER (CENTRE = -0.1D0, WIDTH = 0.16D0, SPAN = 0.8D0)
      PARAMETER (TAIL = 1D-4)
      DOUBLE PRECISION TV(0:NT, 10), TD(0:NT, 10)
      COMMON /AXES/ TV, TD
      DOUBLE PRECISION D(0:MV), CDF(0:MV), U(10), THETA(10)
      DOUBLE PRECISION V, X, UV, TOTAL, WHITEN
      INTEGER I, IAXIS, K, L
      DO 70 IAXIS = 1, 10
         DO 10 I = 1, 10
            U(I) = 0D0
   10    CONTINUE
C        The density of v along this axis.
         D(0) = 0D0
         D(MV) = 0D0
         DO 30 K = 1, MV - 1
            V = 2D0*K/MV - 1D0
            X = 1D0 - V*V
            UV = C*V/SQRT(X)
            IF (IAXIS .EQ. 10) THEN
               THETA(10) = CENTRE + WIDTH*UV
               D(K) = WHITEN(U, THETA)
            ELSE
               U(IAXIS) = UV
               D(K) = 0D0
               DO 20 L = -NS, NS
                  THETA(10) = CENTRE + L*SPAN/NS
                  D(K) = D(K) + WHITEN(U, THETA)
   20          CONTINUE
            END IF
            D(K) = D(K)/(X*SQRT(X))
   30    CONTINUE
         CDF(0) = 0D0
         DO 40 K = 1, MV
            CDF(K) = CDF(K - 1) + (D(K) + D(K - 1))/MV
   40    CONTINUE
         TOTAL = CDF(MV)
         DO 50 K = 0, MV
            D(K) = (1D0 - TAIL)*D(K)/TOTAL + TAIL/2D0
            CDF(K) = (1D0 - TAIL)*CDF(K)/TOTAL + TAIL*K/MV
   50    CONTINUE
C        Its inverse. The derivatives are limited so that the cubic
C        interpolation in FLAT stays monotonic (Fritsch and Carlson).
         K = 0
         DO 60 I = 0, NT
            X = DBLE(I)/NT
            DO 55 WHILE (K .LT. MV - 1 .AND. CDF(K + 1) .LT. X)
               K = K + 1
   55       CONTINUE
            X = (X - CDF(K))/(CDF(K + 1) - CDF(K))
            TV(I, IAXIS) = 2D0*(K + X)/MV - 1D0
            TD(I, IAXIS) = 1D0/(D(K) + X*(D(K + 1) - D(K)))
   60    CONTINUE
         TV(0, IAXIS) = -1D0
         TV(NT, IAXIS) = 1D0
         DO 65 I = 1, NT
            X = 3D0*NT*(TV(I, IAXIS) - TV(I - 1, IAXIS))
            TD(I - 1, IAXIS) = MIN(TD(I - 1, IAXIS), X)
            TD(I, IAXIS) = MIN(TD(I, IAXIS), X)
   65    CONTINUE
   70 CONTINUE
      END

C     U(1..9) and theta10 from T, and the determinant.
      SUBROUTINE FLAT(T, U, T10, DET)
      IMPLICIT NONE
      DOUBLE PRECISION T(10), U(10), T10, DET
      INTEGER NT
      DOUBLE PRECISION C, CENTRE, WIDTH
      PARAMETER (NT = 4096, C = 2D0, CENTRE = -0.1D0, WIDTH = 0.16D0)
      DOUBLE PRECISION TV(0:NT, 10), TD(0:NT, 10)
      COMMON /AXES/ TV, TD
      DOUBLE PRECISION X, DV, D0, D1, C2, C3, V, R
      INTEGER I, K
      DET = WIDTH
      DO 10 I = 1, 10
         X = T(I)*NT
         K = MIN(INT(X), NT - 1)
         X = X - K
         DV = TV(K + 1, I) - TV(K, I)
         D0 = TD(K, I)/NT
         D1 = TD(K + 1, I)/NT
         C2 = 3D0*DV - 2D0*D0 - D1
         C3 = D0 + D1 - 2D0*DV
         V = TV(K, I) + X*(D0 + X*(C2 + X*C3))
         R = 1D0/SQRT(MAX((1D0 - V)*(1D0 + V), 1D-16))
         U(I) = C*V*R
         DET = DET*(D0 + X*(2D0*C2 + 3D0*X*C3))*NT*C*R*R*R
   10 CONTINUE
      T10 = CENTRE + WIDTH*U(10)
      END

C     The integrand that TSRINT sees.
      SUBROUTINE POST(NDIM, T, NCOMP, FVAL)
      IMPLICIT NONE
      INTEGER NDIM, NCOMP
      DOUBLE PRECISION T(NDIM), FVAL(NCOMP)
      DOUBLE PRECISION U(10), THETA(10), DET, WHITEN
      CALL FLAT(T, U, THETA(10), DET)
      FVAL(1) = DET*WHITEN(U, THETA)
      FVAL(2) = FVAL(1)*THETA(1)
      FVAL(3) = FVAL(1)*THETA(2)
      FVAL(4) = FVAL(1)*THETA(4)
      FVAL(5) = FVAL(1)*THETA(10)
      FVAL(6) = FVAL(2)*THETA(1)
      FVAL(7) = FVAL(3)*THETA(2)
      FVAL(8) = FVAL(4)*THETA(4)
      FVAL(9) = FVAL(5)*THETA(10)
      END
