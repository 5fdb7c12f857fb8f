import Handlebars from 'handlebars'
import { TtlCache } from '@posthorn/flow'
import {
  type ContentField,
  contentFields,
  type TemplateContent,
  type TemplateFormat,
  type TemplateProblem,
} from './content.ts'
import type { Job, JobResult } from './jobs.ts'
import { escapeMarkdown, markdownToHtml } from './markdown.ts'
import { markdownHelper, parseTemplate, TemplateError } from './parse-template.ts'
import { describeError } from './describe-error.ts'

type Template = (context: unknown) => string
/** Kind of escaping for the values that are inserted into a message template. */
type Mode = 'plain' | TemplateFormat

/**
 * Limits of the cache of compiled message templates: characters of source, and number of templates.
 */
const maxCachedChars = 8 * 1024 * 1024
const maxCached = 500

/**
 * Renders message templates. Runs in a separate process: a template may use any time and memory.
 */
export class Engine {
  readonly #handlebars = Handlebars.create()
  readonly #compiled = new TtlCache<string, Template>({
    max: maxCached,
    maxSize: maxCachedChars,
    sizeOf: (_template, key) => key.length,
  })

  readonly #maxOutputBytes: number

  /**
   * Creates a template engine. `maxOutputBytes` is the maximum of bytes in all texts of one
   * rendered template.
   */
  constructor(maxOutputBytes: number) {
    this.#maxOutputBytes = maxOutputBytes
    this.#handlebars.unregisterHelper('log')
    this.#handlebars.registerHelper(markdownHelper, escapeMarkdown)
  }

  /**
   * Runs a job that renders or checks a template. Never throws: every error is a problem of the
   * template.
   */
  run({ content, format, context }: Job): JobResult {
    if (context === undefined) return { problems: this.#check(content, format) }
    const values: unknown = JSON.parse(context)
    const rendered: TemplateContent = {}
    let leftBytes = this.#maxOutputBytes
    for (const field of contentFields) {
      const source = content[field]
      if (source === undefined) continue
      try {
        const text = this.#render(source, modeOf(field, format), { values, maxBytes: leftBytes })
        rendered[field] = isLine(field) ? text.replaceAll(/[\r\n]+/g, ' ') : text
        leftBytes -= assertFits(text, leftBytes)
      } catch (error) {
        return { problems: [describeError(field, error)] }
      }
    }
    return { content: rendered }
  }

  #render(source: string, mode: Mode, { values, maxBytes }: { values: unknown; maxBytes: number }) {
    const text = this.#template(source, mode)(values)
    assertFits(text, maxBytes)
    return mode === 'markdown' ? markdownToHtml(text) : text
  }

  #template(source: string, mode: Mode): Template {
    const key = mode + source
    const cached = this.#compiled.get(key)
    if (cached) return cached
    const tree = parseTemplate(source, { markdown: mode === 'markdown' })
    const compiled = this.#handlebars.compile(tree, compileOptions(mode))
    const template = (context: unknown) => compiled(context, runtimeOptions)
    this.#compiled.set(key, template)
    return template
  }

  #check(content: TemplateContent, format: TemplateFormat): TemplateProblem[] {
    return contentFields.flatMap((field) => {
      const source = content[field]
      if (source === undefined) return []
      const mode = modeOf(field, format)
      try {
        const tree = parseTemplate(source, { markdown: mode === 'markdown' })
        this.#handlebars.precompile(tree, compileOptions(mode))
        return []
      } catch (error) {
        return [describeError(field, error)]
      }
    })
  }
}

function modeOf(field: ContentField, format: TemplateFormat): Mode {
  return field === 'html' ? format : 'plain'
}

/**
 * True for template texts of one line (subject and preview text), in which line breaks of values
 * become spaces.
 */
function isLine(field: ContentField): boolean {
  return field === 'subject' || field === 'previewText'
}

/**
 * Options for compiling a template: built-in helpers of Handlebars without the helpers that log or
 * replace missing helpers.
 */
function compileOptions(mode: Mode): CompileOptions {
  const off = { log: false, helperMissing: false, blockHelperMissing: false }
  return {
    noEscape: mode === 'plain',
    knownHelpersOnly: true,
    knownHelpers: { ...off, [markdownHelper]: mode === 'markdown' } as KnownHelpers,
  }
}

const runtimeOptions = {
  allowProtoPropertiesByDefault: false,
  allowProtoMethodsByDefault: false,
}

/**
 * Checks that a rendered template text fits into the size limit. Compares the length first: V8
 * allocates a concatenated string only when its bytes are read.
 */
function assertFits(text: string, maxBytes: number): number {
  const bytes = text.length > maxBytes ? text.length : Buffer.byteLength(text)
  if (bytes > maxBytes) throw new TemplateError('renders to more than is allowed')
  return bytes
}
