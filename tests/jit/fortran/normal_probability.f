C     Multivariate normal, by the Cholesky factor in COMMON; a scratch array in COMMON is written at every call.
      SUBROUTINE MVNPRB(NDIM, X, NUMFUN, FUNVLS)
      IMPLICIT DOUBLE PRECISION (A-H, O-Z)
      DIMENSION X(NDIM), FUNVLS(NUMFUN)
      COMMON /CHOL/ C(4, 4), B(4)
      COMMON /WORK/ Y(4), ICOUNT
      PROD = 1
      DO 20 I = 1, NDIM
         S = 0
         DO 10 J = 1, I - 1
   10    S = S + C(I, J)*Y(J)
         P = PHI((B(I) - S)/C(I, I))
         PROD = PROD*P
         Y(I) = 2*X(I)*P - 1
         ICOUNT = ICOUNT + 1
   20 CONTINUE
      FUNVLS(1) = PROD
      FUNVLS(2) = ICOUNT
      END
      DOUBLE PRECISION FUNCTION PHI(Z)
      DOUBLE PRECISION Z
      PHI = 0.5D0*ERFC(-Z/SQRT(2D0))
      END
      BLOCK DATA CHOLDT
      DOUBLE PRECISION C, B
      COMMON /CHOL/ C(4, 4), B(4)
      DATA C /1D0, .5D0, .3D0, .2D0, 0D0, .9D0, .4D0, .3D0, 0D0, 0D0,
     &  .8D0, .1D0, 0D0, 0D0, 0D0, .7D0/
      DATA B /0.5D0, 1D0, 0.2D0, 0.8D0/
      END
