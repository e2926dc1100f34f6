# Draws host_lattice.svg from host-lattice-accuracy.csv: true error and estimate against the evaluations, for each change of
# variables. Run in this directory: gnuplot lattice.gp
# SPDX-License-Identifier: BSD-3-Clause
set terminal svg size 1000,660 noenhanced font "sans,11" background rgb "white"
set output "host_lattice.svg"
set datafile separator ","
cases = "'feyn6' 'sum^1.5 10-D' 'sum^-2 10-D' 'tetrahedron in a cube 12-D' 'tetrahedron on a sphere 8-D' 'tetrahedron on a sphere 5-D'"
transforms = "none baker korobov-1 korobov-2 korobov-3 sidi-3"
pick(c, t, v) = stringcolumn(1) eq c && stringcolumn(3) eq t ? v : NaN
set logscale xy
set format "1e%L"
set grid
set yrange [1e-10:1e2]
set ytics 1e-10, 100
set key at screen 0.99,0.88 noautotitle
set label 1 "Lattice rules, 32 shifts: true error (points) and 99 % estimate (lines), relative" at screen 0.5,0.975 center font "sans,13"
set multiplot layout 2,3 margins 0.085,0.855,0.085,0.91 spacing 0.065,0.12
do for [a=1:words(cases)] {
  set title word(cases, a)
  set xlabel (a > 3 ? "evaluations" : "")
  set ylabel (a % 3 == 1 ? "relative error" : "")
  plot for [t=1:words(transforms)] "host-lattice-accuracy.csv" \
    using 5:(pick(word(cases, a), word(transforms, t), $8 > 0 ? $8 : NaN)) with points lc t pt t ps 0.6 \
    title (a == 1 ? word(transforms, t) : ""), \
    for [t=1:words(transforms)] "host-lattice-accuracy.csv" \
    using 5:(pick(word(cases, a), word(transforms, t), $7)) with lines lc t
  unset label 1
}
unset multiplot
