C     A program for DCUHRE with a peak, exp(-625 sum (x-1/2)**2), to a relative 1e-3: the same call with a function that is left
C     on the host and with one that legacy.twins names (TESSERA_TWINS). CSV. Usage: bench_legacy [NDIM]
C     Ends with 77 when the twin was not used, 1 when a result is wrong.  SPDX-License-Identifier: BSD-3-Clause
      PROGRAM LEGACY
      IMPLICIT NONE
      INTEGER NCALLS
      COMMON /COUNTS/ NCALLS
      INTEGER NDIM, MAXPTS, NPTS, NW, NEVAL(3), IFAIL(3), I
      DOUBLE PRECISION A(15), B(15), RESULT(3), ABSERR(3), EXACT
      DOUBLE PRECISION TIME(3)
      DOUBLE PRECISION, ALLOCATABLE :: WORK(:)
      INTEGER(8) FIRST, LAST, RATE
      CHARACTER*10 WORD
      EXTERNAL HOST, TWIN
      NDIM = 8
      IF (COMMAND_ARGUMENT_COUNT() .GT. 0) THEN
         CALL GET_COMMAND_ARGUMENT(1, WORD)
         READ (WORD, *) NDIM
      END IF
C     DCUHRE has so many points in a region, or more.
      NPTS = 33
      MAXPTS = 10000000
      IF (NDIM .GE. 8) THEN
         NPTS = 1105
         MAXPTS = 1000000000
      END IF
      NW = MAXPTS/(2*NPTS)*(2*NDIM + 4) + 1000
      ALLOCATE (WORK(NW))
      DO 10 I = 1, NDIM
         A(I) = 0D0
         B(I) = 1D0
   10 CONTINUE
C     The first call of the twin compiles it.
      DO 20 I = 1, 3
         CALL SYSTEM_CLOCK(FIRST, RATE)
         IF (I .EQ. 1) THEN
            CALL DCUHRE(NDIM, 1, A, B, 0, MAXPTS, HOST, 0D0, 1D-3, 0,
     &         NW, 0, RESULT(I), ABSERR(I), NEVAL(I), IFAIL(I), WORK)
         ELSE
            NCALLS = 0
            CALL DCUHRE(NDIM, 1, A, B, 0, MAXPTS, TWIN, 0D0, 1D-3, 0,
     &         NW, 0, RESULT(I), ABSERR(I), NEVAL(I), IFAIL(I), WORK)
         END IF
         CALL SYSTEM_CLOCK(LAST, RATE)
         TIME(I) = DBLE(LAST - FIRST)/DBLE(RATE)
   20 CONTINUE
      EXACT = (SQRT(ACOS(-1D0))/25D0*ERF(12.5D0))**NDIM
      PRINT '(2A)', 'ndim,host_s,host_evaluations,host_error,first_s,',
     &   'twin_s,twin_evaluations,twin_error,ratio'
      PRINT '(I0,A,ES9.3,A,I0,A,ES8.1,2(A,ES9.3),A,I0,A,ES8.1,A,F0.1)',
     &   NDIM, ',', TIME(1), ',', NEVAL(1), ',', RESULT(1)/EXACT - 1D0,
     &   ',', TIME(2), ',', TIME(3), ',', NEVAL(3), ',',
     &   RESULT(3)/EXACT - 1D0, ',', TIME(1)/TIME(3)
      DO 30 I = 1, 3
         IF (IFAIL(I) .NE. 0) STOP 1
         IF (ABS(RESULT(I) - EXACT) .GT. 1D-3*EXACT) STOP 1
   30 CONTINUE
      IF (NCALLS .EQ. NEVAL(3)) STOP 77
      END

      SUBROUTINE HOST(NDIM, X, NUMFUN, F)
      IMPLICIT NONE
      INTEGER NDIM, NUMFUN, I
      DOUBLE PRECISION X(NDIM), F(NUMFUN), S
      S = 0D0
      DO 10 I = 1, NDIM
         S = S + (X(I) - 0.5D0)**2
   10 CONTINUE
      F(1) = EXP(-625D0*S)
      END

C     The same, and how often it is called.
      SUBROUTINE TWIN(NDIM, X, NUMFUN, F)
      IMPLICIT NONE
      INTEGER NDIM, NUMFUN, NCALLS
      DOUBLE PRECISION X(NDIM), F(NUMFUN)
      COMMON /COUNTS/ NCALLS
      NCALLS = NCALLS + 1
      CALL HOST(NDIM, X, NUMFUN, F)
      END
