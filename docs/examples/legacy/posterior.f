C     The straight line through measured points, with unknown scatter: posterior means by DCUHRE. The data are in COMMON.
C     With flat priors for the line and 1/SIGMA for the scatter the means are known in closed form.
C     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM POSTER
      INTEGER NDIM, NUMFUN, MAXPTS, NW, NDATA
      PARAMETER (NDIM = 3, NUMFUN = 4, MAXPTS = 2000000, NW = 200000)
      PARAMETER (NDATA = 12)
      DOUBLE PRECISION X(NDATA), Y(NDATA), SCALE
      COMMON /DATA/ X, Y, SCALE
      DOUBLE PRECISION A(NDIM), B(NDIM), RESULT(NUMFUN)
      DOUBLE PRECISION ABSERR(NUMFUN), WORK(NW)
      DOUBLE PRECISION XBAR, YBAR, SXX, SXY, SSE, S, SLOPE, CUT, VAR
      INTEGER NEVAL, IFAIL, I
      EXTERNAL DENSTY
      DATA X /0D0, 1D0, 2D0, 3D0, 4D0, 5D0, 6D0, 7D0, 8D0, 9D0, 10D0,
     &        11D0/
      DATA Y /1.1D0, 1.4D0, 2.3D0, 2.2D0, 3.1D0, 3.6D0, 3.7D0, 4.8D0,
     &        4.7D0, 5.7D0, 6.2D0, 6.3D0/

C     What is known: least squares.
      XBAR = 0D0
      YBAR = 0D0
      DO 10 I = 1, NDATA
         XBAR = XBAR + X(I)/NDATA
         YBAR = YBAR + Y(I)/NDATA
   10 CONTINUE
      SXX = 0D0
      SXY = 0D0
      DO 20 I = 1, NDATA
         SXX = SXX + (X(I) - XBAR)**2
         SXY = SXY + (X(I) - XBAR)*(Y(I) - YBAR)
   20 CONTINUE
      SLOPE = SXY/SXX
      CUT = YBAR - SLOPE*XBAR
      SSE = 0D0
      DO 30 I = 1, NDATA
         SSE = SSE + (Y(I) - CUT - SLOPE*X(I))**2
   30 CONTINUE
      VAR = SSE/(NDATA - 4)
      S = SQRT(SSE/(NDATA - 2))

C     The box: the posterior is negligible outside. In the first two variables its height and its slope at XBAR.
      A(1) = YBAR - 12*S/SQRT(DBLE(NDATA))
      B(1) = YBAR + 12*S/SQRT(DBLE(NDATA))
      A(2) = SLOPE - 12*S/SQRT(SXX)
      B(2) = SLOPE + 12*S/SQRT(SXX)
      A(3) = 0.3D0*S
      B(3) = 8D0*S
      SCALE = S
      CALL DCUHRE(NDIM, NUMFUN, A, B, 0, MAXPTS, DENSTY, 0D0, 1D-6, 0,
     &            NW, 0, RESULT, ABSERR, NEVAL, IFAIL, WORK)
      PRINT '(A,I3,A,I8)', 'IFAIL', IFAIL, '   NEVAL', NEVAL
      PRINT '(A,2F14.8)', 'height at mean X', RESULT(2)/RESULT(1), YBAR
      PRINT '(A,2F14.8)', 'slope           ', RESULT(3)/RESULT(1), SLOPE
      PRINT '(A,2F14.8)', 'scatter squared ', RESULT(4)/RESULT(1), VAR
      IF (IFAIL .NE. 0) STOP 1
      IF (ABS(RESULT(2)/RESULT(1) - YBAR) .GT. 1D-5) STOP 2
      IF (ABS(RESULT(3)/RESULT(1) - SLOPE) .GT. 1D-5) STOP 3
      IF (ABS(RESULT(4)/RESULT(1) - VAR) .GT. 1D-3*VAR) STOP 4
      PRINT '(A)', 'as in closed form'
      END

C     The posterior density, and it times each of the quantities. THETA: height, slope, SIGMA.
      SUBROUTINE DENSTY(NDIM, THETA, NUMFUN, F)
      INTEGER NDIM, NUMFUN, NDATA, I
      PARAMETER (NDATA = 12)
      DOUBLE PRECISION THETA(NDIM), F(NUMFUN)
      DOUBLE PRECISION X(NDATA), Y(NDATA), SCALE, Q, R
      COMMON /DATA/ X, Y, SCALE
      Q = 0D0
      DO 10 I = 1, NDATA
         Q = Q + (Y(I) - THETA(1) - THETA(2)*(X(I) - 5.5D0))**2
   10 CONTINUE
      R = THETA(3)/SCALE
      F(1) = EXP(-Q/(2D0*THETA(3)**2) + 5D0)/R**(NDATA + 1)
      F(2) = F(1)*THETA(1)
      F(3) = F(1)*THETA(2)
      F(4) = F(1)*THETA(3)**2
      END
