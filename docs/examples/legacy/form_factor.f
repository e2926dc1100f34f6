C     The potential energy of two nuclei with Woods-Saxon densities, folded with a Yukawa force of range 1/MU: an integral over
C     momenta (DQAGI) of a product of form factors, each of which is an integral over the radius (DQAG). The nuclei are in COMMON.
C     For a surface thickness that goes to zero the form factor is that of a sphere, which is known in closed form; so is
C     the time between the ends of a Kepler orbit, pi, a DQAGS that is singular at both ends.
C     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM FOLDED
      INTEGER LIMIT, LENW
      PARAMETER (LIMIT = 200, LENW = 4*LIMIT)
      DOUBLE PRECISION WORK(LENW), VALUE, ERROR, SPHERE, PHASE, PI
      DOUBLE PRECISION PERIOD
      INTEGER IWORK(LIMIT), NEVAL, IER, LAST, J, NWRONG, NCALLS
      DOUBLE PRECISION RADIUS, THICK, Q, DIST, ECC
      COMMON /NUCLEUS/ RADIUS, THICK, Q, DIST
      COMMON /ORBIT/ ECC
      COMMON /COUNTS/ NCALLS
      DOUBLE PRECISION FORM, YUKAWA, RADIAL
      EXTERNAL YUKAWA, RADIAL
      PI = ACOS(-1D0)
      NWRONG = 0
      NCALLS = 0

      RADIUS = 1.1D0
      THICK = 1D-2
      PRINT '(A)', '     Q      FORM FACTOR    SHARP SPHERE'
      DO 10 J = 1, 4
         VALUE = FORM(DBLE(J))
         PHASE = J*RADIUS
         SPHERE = 3D0*(SIN(PHASE) - PHASE*COS(PHASE))/PHASE**3
         PRINT '(F8.2,2F15.9)', DBLE(J), VALUE, SPHERE
         IF (.NOT. ABS(VALUE - SPHERE) .LE. 1D-3) NWRONG = NWRONG + 1
   10 CONTINUE

      THICK = 0.2D0
      PRINT '(A)', '  DISTANCE      ENERGY   IER NEVAL    CALLS'
      DO 20 J = 1, 3
         DIST = 3D0*J
         NCALLS = 0
         CALL DQAGI(YUKAWA, 0D0, 1, 1D-9, 1D-7, VALUE, ERROR, NEVAL,
     &              IER, LIMIT, LENW, LAST, IWORK, WORK)
         PRINT '(F10.2,ES14.5,I5,I6,I9)', DIST, VALUE, IER, NEVAL,
     &         NCALLS
         IF (IER .NE. 0) NWRONG = NWRONG + 1
   20 CONTINUE

      DO 30 J = 1, 9
         ECC = J/10D0
         CALL DQAGS(RADIAL, 1D0 - ECC, 1D0 + ECC, 0D0, 1D-9,
     &              PERIOD, ERROR, NEVAL, IER, LIMIT, LENW, LAST, IWORK,
     &              WORK)
         IF (IER .NE. 0 .OR. .NOT. ABS(PERIOD/PI - 1D0) .LE. 1D-7)
     &      NWRONG = NWRONG + 1
   30 CONTINUE
      IF (NWRONG .GT. 0) STOP 1
      PRINT '(A)', 'as in closed form'
      END

C     Of the nucleus in COMMON at momentum P, by two integrals over the radius; 1 at P = 0.
      DOUBLE PRECISION FUNCTION FORM(P)
      INTEGER LIMIT, LENW
      PARAMETER (LIMIT = 100, LENW = 4*LIMIT)
      DOUBLE PRECISION P, WORK(LENW), ERROR, NORM, UPPER
      INTEGER IWORK(LIMIT), NEVAL, IER, LAST
      DOUBLE PRECISION RADIUS, THICK, Q, DIST, DENSITY
      COMMON /NUCLEUS/ RADIUS, THICK, Q, DIST
      EXTERNAL DENSITY
      UPPER = RADIUS + 40D0*THICK
      Q = 0D0
      CALL DQAG(DENSITY, 0D0, UPPER, 0D0, 1D-10, 2, NORM, ERROR, NEVAL,
     &          IER, LIMIT, LENW, LAST, IWORK, WORK)
      Q = P
      CALL DQAG(DENSITY, 0D0, UPPER, 1D-11*NORM, 1D-10, 6, FORM, ERROR,
     &          NEVAL, IER, LIMIT, LENW, LAST, IWORK, WORK)
      FORM = FORM/NORM
      END

      DOUBLE PRECISION FUNCTION DENSITY(R)
      DOUBLE PRECISION R, RADIUS, THICK, Q, DIST, WAVE
      INTEGER NCALLS
      COMMON /NUCLEUS/ RADIUS, THICK, Q, DIST
      COMMON /COUNTS/ NCALLS
      NCALLS = NCALLS + 1
      WAVE = 1D0
      IF (Q*R .GT. 1D-8) WAVE = SIN(Q*R)/(Q*R)
      DENSITY = R*R*WAVE/(1D0 + EXP((R - RADIUS)/THICK))
      END

      DOUBLE PRECISION FUNCTION YUKAWA(P)
      DOUBLE PRECISION P, RADIUS, THICK, Q, DIST, FORM, WAVE
      COMMON /NUCLEUS/ RADIUS, THICK, Q, DIST
      WAVE = 1D0
      IF (P*DIST .GT. 1D-8) WAVE = SIN(P*DIST)/(P*DIST)
      YUKAWA = P*P*WAVE*FORM(P)**2/(P*P + 0.49D0)
      END

C     Time along an orbit: R/SQRT((R - RMIN)*(RMAX - R)), whose integral is pi.
      DOUBLE PRECISION FUNCTION RADIAL(R)
      DOUBLE PRECISION R, ECC, S
      COMMON /ORBIT/ ECC
      RADIAL = 0D0
      S = (R - 1D0 + ECC)*(1D0 + ECC - R)
      IF (S .GT. 0D0) RADIAL = R/SQRT(S)
      END
