import { commandList } from '@posthorn/cli/commands'

/**
 * Example in the help of a `posthorn` command, with the path of the command, such as `accounts
 * list`.
 */
export interface CommandExample {
  command: string
  /** Command line of the example, with the name of the program. */
  line: string
}

/**
 * Help examples of the `posthorn` commands whose path starts with one of the words, in the order of
 * the help.
 */
export function examplesOf(...words: string[]): CommandExample[] {
  return commandList()
    .filter(({ path }) => words.includes(path.split(' ')[0] ?? ''))
    .flatMap(({ path, spec }) =>
      spec.examples.map(({ line }) => ({ command: path, line: `posthorn ${line}` })),
    )
}
