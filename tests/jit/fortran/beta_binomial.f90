! A posterior: counts of a beta-binomial, the normalisation by log_gamma.
module beta_binomial
  implicit none
  integer, parameter :: dp = kind(1d0), many = 12
  integer :: successes(many) = [3, 5, 1, 8, 2, 7, 4, 6, 0, 9, 5, 3], trials(many) = 10
contains
  double precision function posterior(ndim, x)
    integer, intent(in) :: ndim
    real(dp), intent(in) :: x(ndim)
    real(dp) :: a, b, l
    integer :: k
    a = 0.5_dp + 5*x(1)
    b = 0.5_dp + 5*x(2)
    l = 0
    do k = 1, many
      l = l + log_beta(successes(k) + a, trials(k) - successes(k) + b) - log_beta(a, b)
    end do
    posterior = exp(l + 75)
  contains
    real(dp) function log_beta(p, q)
      real(dp), intent(in) :: p, q
      log_beta = log_gamma(p) + log_gamma(q) - log_gamma(p + q)
    end function
  end function
end module
