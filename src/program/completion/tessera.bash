# Completion of tessera for bash. SPDX-License-Identifier: BSD-3-Clause
_tessera() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='info selftest integrate cache --version --help'
  else
    case ${COMP_WORDS[1]}:$before in
      integrate:--method) words='auto cubature lattice montecarlo vegas quadrature iterated' ;;
      integrate:--device | selftest:--device) words='host any 0' ;;
      integrate:--plot) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
      integrate:*)
        words='--limits --variables --ndim --rtol --atol --method --device --max-evaluations --max-seconds --threads --seed --progress --plot --help' ;;
      info:*) words='--quick --help' ;;
      selftest:*) words='--device --help' ;;
      cache:*) words='show clear --help' ;;
    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -F _tessera tessera
