import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { root } from './commands.ts'
import {
  checkDescription,
  checkDocument,
  checkFile,
  checkScript,
  checkSource,
  type Violation,
  wordingFiles,
} from './wording.ts'

/**
 * Names and texts that are fixed elsewhere: contract members, library types, model prompts, types
 * of bus messages, subjects of foreign mail, names of license files.
 */
const exempt: readonly { path: RegExp; text: RegExp }[] = [
  { path: /\/(filing|file-sent|file-sent\.test|sent-copy|mailbox-worker)\.ts$/, text: /^found$/ },
  { path: /templates\/src\/parse-template\.ts$/, text: /^Visitor$/ },
  { path: /summaries\/chat-completion\.ts$/, text: /was written by somebody else/ },
  { path: /libs\/bus\/(src\/rpc\/frames|test\/notify\.test)\.ts$/, text: /^'notice'$/ },
  { path: /libs\/(reports|message-reader)\/.*\.test\.ts$/, text: /failure notice/ },
  { path: /reports\/src\/detect-report\.ts$/, text: /^(?:'undeliver\||\/non-\?deliver\|)/ },
  { path: /deploy\/image\/src\/third-party\.ts$/, text: /licen\[cs\]e/ },
]

/** Files that contain words replaced by the glossary as data. */
const wordLists = ['libs/tooling/src/replaced-names.ts', 'libs/tooling/src/wording']

const files = wordingFiles(root).filter(
  (path) => !wordLists.some((prefix) => path.startsWith(prefix)),
)

function violationsOf(path: string): Violation[] {
  return checkFile(path, readFileSync(join(root, path), 'utf8')).filter(
    (violation) => !exempt.some((rule) => rule.path.test(path) && rule.text.test(violation.text)),
  )
}

describe('wording', () => {
  test('sources and documents: no replaced names, banned words or long lines', () => {
    expect(files.length).toBeGreaterThan(1_000)
    expect(files.flatMap(violationsOf)).toEqual([])
  })

  test('OpenAPI document: descriptions start with a noun and use no banned words', () => {
    const path = 'libs/contracts/openapi.json'
    const document: unknown = JSON.parse(readFileSync(join(root, path), 'utf8'))
    expect(descriptionsIn(document).flatMap((text) => checkDescription(path, text))).toEqual([])
  })
})

function descriptionsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    (key === 'description' || key === 'summary') && typeof member === 'string'
      ? [member]
      : descriptionsIn(member),
  )
}

const rulesOf = (violations: readonly Violation[]) =>
  violations.map(({ line, rule }) => `${line} ${rule}`)

describe('checkSource', () => {
  test.each([
    ['/** What it returns. */', ['1 opening']],
    ['/**\n * Of one account.\n */', ['1 opening']],
    ['// Whoever asks.', ['1 word', '1 opening']],
    ['// Returns the row\n// of one account.', []],
    ["log.info({}, 'nobody is there')", ['1 word']],
    ['// The message is in doubt.', ['1 word']],
    ["log.info({}, 'a doubtful message')", ['1 word']],
    ['const isInDoubt = 1', ['1 name']],
    ['const told = 1', ['1 name']],
    ["const text = 'told'", []],
    ['everyFew()', ['1 name']],
    ['// Sends a notice.', ['1 word']],
    ['onNotice(lastNotices)', ['1 name', '1 name']],
    ['const { notices, changesNoticed, noticeable } = request', []],
    [`// ${'x '.repeat(60)}`, ['1 columns']],
    [`call('${'x'.repeat(200)}')`, []],
    ["mail.to = 'nobody@example.com'", []],
    ['const half = a / b / c // told apart', []],
  ])('%j', (source, rules) => {
    expect(rulesOf(checkSource('x.ts', source))).toEqual(rules)
  })
})

describe('checkDocument', () => {
  test.each([
    ['A line '.repeat(30), ['1 columns']],
    [`| ${'cell '.repeat(40)} |`, []],
    ['Whoever reads this.', ['1 word']],
    ['Providers send notices.', ['1 word']],
    ['[0073](0073-messages-in-doubt.md)', ['1 word']],
    ['The code `whoever` is quoted.', []],
    ['```\nwhoever\n```', []],
  ])('%j', (text, rules) => {
    expect(rulesOf(checkDocument('x.md', text))).toEqual(rules)
  })
})

describe('checkScript', () => {
  test.each([
    ['x.sql', 'select 1; -- Whose row it is', ['1 opening']],
    ['x.sql', '-- rows\n-- of one account', []],
    ['x.sql', 'select 1; -- rows\n-- Of one account', ['2 opening']],
    ['x.yaml', '# Whoever asks.', ['1 word', '1 opening']],
    ['x.yaml', `# ${'x '.repeat(80)}`, ['1 columns']],
    ['x.yaml', `name: ${'x'.repeat(150)} # a name`, []],
    ['Makefile', 'ci: ## What CI runs', ['1 opening']],
    ['x.sh', 'echo "$#"; url=http://x/#what', []],
  ])('%s: %j', (path, text, rules) => {
    expect(rulesOf(checkScript(path, text))).toEqual(rules)
  })
})
