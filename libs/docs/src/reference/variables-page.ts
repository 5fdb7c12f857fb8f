import { markdownPage, markdownTable, withoutLinks } from './markdown.ts'
import { readProjectFile } from './source-files.ts'

/** Row of an environment variable in a table of deploy/configuration.md. */
interface VariableRow {
  name: string
  /**
   * Heading of the section with the table of environment variables: a service, a command or all
   * services.
   */
  section: string
  default: string
  meaning: string
}

const introduction = `Environment variables configure a process at its start. Every variable can be given as a file
instead: the variable with the suffix \`_FILE\` names the file. Durations have a unit (\`500ms\`, \`30s\`, \`10m\`,
\`3d\`), sizes are bytes or have a unit (\`512k\`, \`50MB\`). An invalid value ends the process with a message that names
the variable. [Settings](settings.md) can change while the installation runs.`

/** Documentation page of all environment variables, by the service or command that reads them. */
export function variablesPage(): string {
  const rows = readVariables()
  const main = mainRows(rows)
  const sections = [...new Set(main.map(({ section }) => section))]
  return markdownPage(
    {
      title: 'Configuration variables',
      description: 'Environment variables of all services and commands, with defaults and meaning.',
      order: 4,
    },
    [
      introduction,
      ...sections.flatMap((section) => [
        `## ${section}`,
        markdownTable(
          ['variable', 'default', 'meaning'],
          main
            .filter((row) => row.section === section)
            .map((row) => [`\`${row.name}\``, row.default, meaningOf(row, rows)]),
        ),
      ]),
    ],
  )
}

/**
 * Reads all rows of environment variables from deploy/configuration.md, in the order of the
 * document.
 */
function readVariables(): VariableRow[] {
  let section = ''
  return readProjectFile('deploy/configuration.md')
    .split('\n')
    .flatMap((line) => {
      section = /^## (.*)$/.exec(line)?.[1]?.replace(/ \(.*/, '') ?? section
      const [, names, initial = '', meaning = ''] =
        /^\| ((?:`[A-Z][A-Z0-9_]+`(?:, )?)+) \| (.*?) \| (.*) \|$/.exec(line) ?? []
      return [...(names ?? '').matchAll(/\w+/g)].map(([name]) => ({
        name,
        section,
        default: toPlainText(initial),
        meaning: toPlainText(meaning),
      }))
    })
}

/** One row per environment variable: the row of all services, otherwise the most detailed row. */
function mainRows(rows: readonly VariableRow[]): VariableRow[] {
  const names = new Set(rows.map(({ name }) => name))
  const main = new Set(
    [...names].map((name) => {
      const own = rows.filter((row) => row.name === name)
      const complete = own.filter((row) => !isReference(row)).sort(byDetail)
      return own.find(({ section }) => section === 'Every service') ?? complete[0] ?? own[0]
    }),
  )
  return rows.filter((row) => main.has(row))
}

function byDetail(a: VariableRow, b: VariableRow): number {
  return b.meaning.length - a.meaning.length
}

/**
 * True for a row that refers to the row of another section instead of describing the environment
 * variable.
 */
function isReference(row: VariableRow): boolean {
  return /^(?:as (?:for|above)|value of)\b/.test(row.meaning) || /^as for\b/.test(row.default)
}

/**
 * Meaning of an environment variable, with its special meaning in other sections and its other
 * readers.
 */
function meaningOf(row: VariableRow, rows: readonly VariableRow[]): string {
  const others = rows.filter((other) => other.name === row.name && other !== row)
  const special = others
    .filter((other) => !isReference(other) && other.meaning !== row.meaning)
    .map(({ section, meaning }) => `In ${section}: ${meaning}`)
  const readers = [...new Set(others.filter(isReference).map(({ section }) => section))]
  const also = readers.length === 0 ? [] : [`Also read by ${readers.join(', ')}`]
  return [row.meaning, ...special, ...also].map((text) => text.replace(/\.$/, '')).join('. ')
}

/**
 * Text of a table cell without its links, and without references to other parts of the document.
 */
function toPlainText(text: string): string {
  return withoutLinks(
    text
      .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
      .replaceAll(/[,;]? see \[(?:below|above|connection budget)\]\([^)]*\)/g, ''),
  )
}
