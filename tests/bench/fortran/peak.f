C     A product of peaks, their places and widths in COMMON.
      DOUBLE PRECISION FUNCTION F(NDIM, X)
      INTEGER NDIM, J
      DOUBLE PRECISION X(NDIM), C(8), U(8)
      COMMON /PEAKS/ C, U
      F = 1D0
      DO 10 J = 1, NDIM
        F = F/(C(J) + (X(J) - U(J))**2)
   10 CONTINUE
      END
      BLOCK DATA
      DOUBLE PRECISION C(8), U(8)
      COMMON /PEAKS/ C, U
      DATA C /.1D0, .2D0, .3D0, .4D0, .5D0, .6D0, .7D0, .8D0/
      DATA U /.3D0, .4D0, .5D0, .6D0, .7D0, .2D0, .1D0, .9D0/
      END
