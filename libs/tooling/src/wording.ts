import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bareParticiples, replacedNames } from './replaced-names.ts'
import { scanSource, type SourcePart } from './scan.ts'

/** Position in a file at which the text violates a rule of the glossary or a line limit. */
export interface Violation {
  path: string
  line: number
  rule: string
  text: string
}

const maxSourceColumns = 100
const maxDocumentColumns = 120
const maxScriptColumns = 120

/**
 * Pattern of words that comments and texts must not contain: words without a technical meaning or
 * with several meanings, and idioms whose literal reading misleads. A server or provider sends a
 * notification, not a notice.
 */
const bannedWords =
  /\b(?:notices?|whoever|whomever|nobody(?![@/:])|somebody(?!@)|anew|lest|whereby|at once|is away|are away|made good|makes good|make good|for want of|in the clear|sees to it|see to it|looked after|looks after|look after|put off|puts off|called off|calls off|call off|of ours|of theirs|collector of garbage|doubt(?:s|ed|ful)?)\b/i

/**
 * Pattern of identifiers with the word notice. The field `notices` of a bus message is allowed,
 * because its name is stored.
 */
const bannedName = /^(?!notices$).*(?:[nN]otices?(?![a-z]))/

/** Pattern of the first word of comments in code that do not begin with a noun. */
const bannedOpening = /^(?:What|Where|Whoever|Whose|Who|Of|The same)\b/

/** Paths of all files whose wording is checked, relative to the project directory. */
export function wordingFiles(root: string): string[] {
  return globSync(
    ['**/*.{ts,md,sql,yaml,yml,sh,in}', '{.ci,.github}/**/*', 'Makefile', 'deploy/Dockerfile'],
    {
      cwd: root,
      withFileTypes: true,
      exclude: ({ name }) =>
        /^(node_modules|\.local|\.git|generated)$/.test(name) || name === 'pnpm-lock.yaml',
    },
  )
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => relative(root, join(parentPath, name)))
}

/**
 * Checks a TypeScript source: line lengths, openings of comments, banned words and replaced names.
 */
export function checkSource(path: string, source: string): Violation[] {
  const violations: Violation[] = []
  const report = (line: number, rule: string, text: string) =>
    violations.push({ path, line, rule, text: text.trim().slice(0, 120) })
  const parts = scanSource(source)
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'code') checkNames(part, report)
    else {
      checkWords(part, report)
      if (part.kind === 'comment' && !continuesComment(parts, index)) checkOpening(part, report)
    }
  }
  checkColumns(parts, report)
  return violations
}

/**
 * Checks a Markdown document: the lengths of lines outside of tables, and banned words outside of
 * code.
 */
export function checkDocument(path: string, source: string): Violation[] {
  const violations: Violation[] = []
  let fenced = false
  for (const [index, line] of source.split('\n').entries()) {
    const report = (rule: string) =>
      violations.push({ path, line: index + 1, rule, text: line.trim().slice(0, 120) })
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    else if (!fenced && bannedWords.test(line.replace(/`[^`]*`/g, ''))) report('word')
    if (line.length > maxDocumentColumns && !isUnbreakable(line)) report('columns')
  }
  return violations
}

/**
 * Checks the comments of a file that is not TypeScript: comments with `--` in SQL, with `#` in all
 * other files. Only lines that consist of a comment have a maximum length, because commands and
 * URLs cannot be broken.
 */
export function checkScript(path: string, source: string): Violation[] {
  const comment = path.endsWith('.sql')
    ? /(?:^|\s)--\s+(?<text>\S.*)$/
    : /(?:^|\s)#+\s+(?<text>\S.*)$/
  let continued = false
  return source.split('\n').flatMap((line, index) => {
    const match = comment.exec(line)
    const text = match?.groups?.['text'] ?? ''
    const isWholeLine = match !== null && line.slice(0, match.index).trim() === ''
    const rules = [
      ...(bannedWords.test(text) ? ['word'] : []),
      ...(bannedOpening.test(text) && !(isWholeLine && continued) ? ['opening'] : []),
      ...(isWholeLine && line.length > maxScriptColumns ? ['columns'] : []),
    ]
    continued = isWholeLine
    return rules.map((rule) => ({ path, line: index + 1, rule, text: text.slice(0, 120) }))
  })
}

/**
 * Checks the wording of a file with the rules for the type of the file (TypeScript, Markdown or
 * other).
 */
export function checkFile(path: string, source: string): Violation[] {
  if (path.endsWith('.md')) return checkDocument(path, source)
  return path.endsWith('.ts') ? checkSource(path, source) : checkScript(path, source)
}

/** Checks the wording of one description in the API document. */
export function checkDescription(path: string, text: string): Violation[] {
  const rule = bannedOpening.test(text) ? 'opening' : bannedWords.test(text) ? 'word' : undefined
  return rule === undefined ? [] : [{ path, line: 1, rule, text: text.slice(0, 120) }]
}

type Report = (line: number, rule: string, text: string) => void

function checkNames({ text, line }: SourcePart, report: Report): void {
  for (const match of text.matchAll(/[A-Za-z_$][\w$]*/g))
    if (replacedNames.has(match[0]) || bareParticiples.has(match[0]) || bannedName.test(match[0]))
      report(line + linesIn(text.slice(0, match.index)), 'name', match[0])
}

function checkWords({ text, line }: SourcePart, report: Report): void {
  for (const [offset, content] of text.split('\n').entries())
    if (bannedWords.test(content)) report(line + offset, 'word', content)
}

function checkOpening({ text, line }: SourcePart, report: Report): void {
  const opening = text.replace(/^(?:\/\*\*?|\/\/)[\s*]*/, '')
  if (bannedOpening.test(opening)) report(line, 'opening', opening.split('\n')[0] ?? '')
}

/**
 * True for a line comment that is directly below another line comment and continues that comment.
 */
function continuesComment(parts: readonly SourcePart[], index: number): boolean {
  const [before, between] = [parts[index - 2], parts[index - 1]]
  return (
    parts[index]?.text.startsWith('//') === true &&
    before?.kind === 'comment' &&
    before.text.startsWith('//') &&
    between?.kind === 'code' &&
    /^\n[ \t]*$/.test(between.text)
  )
}

/**
 * Checks the lengths of lines of a source file. The contents of literals are not counted, because
 * the formatter cannot break them.
 */
function checkColumns(parts: readonly SourcePart[], report: Report): void {
  const source = parts
    .map(({ kind, text }) => (kind === 'literal' ? text.replace(/[^\n]+/g, "''") : text))
    .join('')
  for (const [index, line] of source.split('\n').entries())
    if (line.length > maxSourceColumns && !/https?:\/\/\S{60,}/.test(line))
      report(index + 1, 'columns', line)
}

function isUnbreakable(line: string): boolean {
  return /^\s*\|/.test(line) || !/\S\s+\S/.test(line.slice(40)) || /https?:\/\/\S{60,}/.test(line)
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}
