import Handlebars from 'handlebars'
import { LRUCache } from 'lru-cache'
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
/** How values are written into a text. */
type Mode = 'plain' | TemplateFormat

/** Compiled templates that are kept, by their text: so many characters, and so many templates. */
const maxCachedChars = 8 * 1024 * 1024
const maxCached = 500

/** Renders templates; meant for a process of its own, for a template may take any time and memory. */
export class Engine {
  readonly #handlebars = Handlebars.create()
  readonly #compiled = new LRUCache<string, Template>({
    max: maxCached,
    maxSize: maxCachedChars,
    sizeCalculation: (_template, key) => key.length,
  })

  constructor() {
    this.#handlebars.unregisterHelper('log')
    this.#handlebars.registerHelper(markdownHelper, escapeMarkdown)
  }

  /** Never throws: whatever goes wrong is the template's fault, and told as such. */
  run({ content, format, context, maxOutputBytes }: Job): JobResult {
    if (context === undefined) return { problems: this.#check(content, format) }
    const values: unknown = JSON.parse(context)
    const rendered: TemplateContent = {}
    let room = maxOutputBytes
    for (const field of contentFields) {
      const source = content[field]
      if (source === undefined) continue
      try {
        const text = this.#render(source, modeOf(field, format), { values, room })
        rendered[field] = isLine(field) ? text.replaceAll(/[\r\n]+/g, ' ') : text
        room -= assertFits(text, room)
      } catch (error) {
        return { problems: [describeError(field, error)] }
      }
    }
    return { content: rendered }
  }

  #render(source: string, mode: Mode, { values, room }: { values: unknown; room: number }) {
    const text = this.#template(source, mode)(values)
    assertFits(text, room)
    return mode === 'markdown' ? markdownToHtml(text) : text
  }

  #template(source: string, mode: Mode): Template {
    const key = mode + source
    const known = this.#compiled.get(key)
    if (known) return known
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

/** What goes into a header, or stands in for one, stays one line whatever is inserted. */
function isLine(field: ContentField): boolean {
  return field === 'subject' || field === 'previewText'
}

/** The built-in helpers alone, without those that write to the log or stand in for missing ones. */
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

/** The length first: a text that was put together costs no memory until its bytes are looked at. */
function assertFits(text: string, room: number): number {
  const bytes = text.length > room ? text.length : Buffer.byteLength(text)
  if (bytes > room) throw new TemplateError('renders to more than is allowed')
  return bytes
}
