import MarkdownIt from 'markdown-it'
import { splitFrontMatter } from '../front-matter.ts'

/**
 * Languages whose code blocks in documentation pages can be marked as runnable, with the extension
 * of their files.
 */
export const runnableLanguages = ['sh', 'ts', 'py'] as const
export type RunnableLanguage = (typeof runnableLanguages)[number]

/** Runnable code block of a documentation page. */
export interface Example {
  language: RunnableLanguage
  code: string
  /** Line of the documentation page at which the code of an example starts. */
  line: number
  expected?: ExpectedOutput
}

/** Standard output that a documentation page shows for an example. */
export interface ExpectedOutput {
  format: 'text' | 'json'
  text: string
  /** Line of the documentation page at which the output of an example starts. */
  line: number
}

export interface ExamplePage {
  /** Position of the documentation page in the side bar, from its front matter. */
  order: number
  examples: Example[]
}

/**
 * Reads the runnable code blocks of a Markdown page. The info string of a block is its language
 * and the word `runnable`. A following block `text output` or `json output` has the expected
 * output.
 *
 * @throws Error for an output without an example, and for another language.
 */
export function readExamples(markdown: string): ExamplePage {
  const { head, body, headLines } = splitFrontMatter(markdown)
  const examples: Example[] = []
  for (const { info, content, map } of new MarkdownIt().parse(body, {})) {
    const [language = '', mark, ...rest] = info.split(' ')
    if (mark !== 'runnable' && mark !== 'output') continue
    // line after the fence of the Markdown code block, counted from 1
    const line = headLines + (map?.[0] ?? 0) + 2
    if (rest.length > 0) throw new Error(`line ${line - 1}: unknown words after ${mark}: ${info}`)
    if (mark === 'runnable')
      examples.push({ language: toLanguage(language, line - 1), code: content, line })
    else addOutput(examples, { format: toFormat(language, line - 1), text: content, line })
  }
  return { order: Number(head['order']), examples }
}

function addOutput(examples: readonly Example[], expected: ExpectedOutput): void {
  const example = examples.at(-1)
  if (example === undefined || example.expected !== undefined)
    throw new Error(`line ${expected.line - 1}: an output follows no runnable block`)
  example.expected = expected
}

function toLanguage(name: string, line: number): RunnableLanguage {
  const language = runnableLanguages.find((each) => each === name)
  if (language === undefined)
    throw new Error(`line ${line}: ${name} is not one of ${runnableLanguages.join(', ')}`)
  return language
}

function toFormat(name: string, line: number): ExpectedOutput['format'] {
  if (name !== 'text' && name !== 'json')
    throw new Error(`line ${line}: an output is text or json, not ${name}`)
  return name
}
