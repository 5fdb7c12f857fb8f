import type { OutlineNode } from './outline.ts'
import { branch, quote } from './shell-text.ts'

/**
 * Completion script of the command line for bash. Values without choices are completed as files.
 */
export function bashScript(nodes: readonly OutlineNode[]): string {
  const withValue = nodes.flatMap(({ options }) => options.filter(({ hasValue }) => hasValue))
  const skipped = [...new Set(withValue.flatMap(({ flags }) => flags))]
  const words = nodes.map(({ path, children, options }) => {
    const all = [...children.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)]
    return branch(path, `words=${quote(all.join(' '))}`)
  })
  const values = nodes.flatMap(({ path, options }) =>
    options.flatMap(({ flags, hasValue, choices }) =>
      flags
        .filter(() => hasValue)
        .map((flag) => branch(`${path}:${flag}`, `words=${quote(choices.join(' '))}`)),
    ),
  )
  return `# Completion of posthorn for bash: source <(posthorn completion bash)
_posthorn() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local path= next words= word index
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case $word in
      ${skipped.join('|')}) ((index++)) ;;
      -*) ;;
      *)
        next=\${path:+$path }$word
        case $next in
${pathBranch(nodes)}
        esac
        ;;
    esac
  done
  case $path:$previous in
${values.join('\n')}
    *)
      case $path in
${words.join('\n')}
      esac
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o default -F _posthorn posthorn
`
}

/** Branch of a shell `case` that matches the path of each command of the program. */
function pathBranch(nodes: readonly OutlineNode[]): string {
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '')
  return `          ${paths.map(quote).join('|')}) path=$next ;;`
}
