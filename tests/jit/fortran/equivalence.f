      DOUBLE PRECISION FUNCTION EQUIV(NDIM, X)
      DOUBLE PRECISION X(NDIM), A(6), B(2, 3), S
      COMMON /BOTH/ A
      EQUIVALENCE (A(1), B(1, 1))
      REAL R(2)
      DOUBLE PRECISION D
      EQUIVALENCE (D, R(1))
      A(1) = X(1)
      B(2, 3) = X(2)
      B(1, 2) = X(1)*X(2)
      D = 0
      R(1) = 1.5
      S = 0
      DO 10 I = 1, 6
   10 S = S + I*A(I)
      EQUIV = S + R(1)
      END
