import type { OutlineNode } from './outline.ts'
import { branch, quote } from './shell-text.ts'

/** Completion script of the command line for zsh, with the summaries of commands and options. */
export function zshScript(nodes: readonly OutlineNode[]): string {
  const withValue = nodes.flatMap(({ options }) => options.filter(({ hasValue }) => hasValue))
  const skipped = [...new Set(withValue.flatMap(({ flags }) => flags))]
  const paths = nodes.map(({ path }) => path).filter((path) => path !== '')
  const entries = nodes.map(({ path, children, options }) => {
    const commands = children.map(({ name, summary }) => entry(name, summary))
    const flags = options.flatMap(({ flags, description }) =>
      flags.map((flag) => entry(flag, description)),
    )
    return branch(path, `commands=(${commands.join(' ')}) flags=(${flags.join(' ')})`)
  })
  const values = nodes.flatMap(({ path, options }) =>
    options.flatMap(({ flags, hasValue, choices }) =>
      flags
        .filter(() => hasValue)
        .map((flag) => {
          const complete = choices.length === 0 ? '_files' : `compadd -- ${choices.join(' ')}`
          return branch(`${path}:${flag}`, `${complete}; return`)
        }),
    ),
  )
  return `#compdef posthorn
# Completion of posthorn for zsh: source <(posthorn completion zsh)
_posthorn() {
  local route= next word index
  local -a commands flags
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    case $word in
      ${skipped.join('|')}) ((index++)) ;;
      -*) ;;
      *)
        next=\${route:+$route }$word
        case $next in
          ${paths.map(quote).join('|')}) route=$next ;;
        esac
        ;;
    esac
  done
  case $route:\${words[CURRENT-1]} in
${values.join('\n')}
  esac
  case $route in
${entries.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe option flags
  elif ((\${#commands})); then
    _describe command commands
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _posthorn ]]; then _posthorn "$@"; else compdef _posthorn posthorn; fi
`
}

/**
 * Entry of zsh's function `_describe` for shell completion: name and description, in which a colon
 * separates the two.
 */
function entry(name: string, description: string): string {
  return quote(`${name.replaceAll(':', '\\:')}:${description}`)
}
