import { type Static, Type } from 'typebox'
import { AccountId, IsoDate, Nullable, OneOf, Strict } from './primitives.ts'

const maxTextLength = 5 * 1024 * 1024

const text = (description: string) =>
  Type.Optional(Type.String({ maxLength: maxTextLength, description }))

/** Texts with placeholders. */
export const TemplateContent = Strict({
  subject: Type.Optional(Type.String({ maxLength: 10_240 })),
  text: text('Plain text.'),
  html: text('HTML or Markdown, depending on `format`.'),
  previewText: Type.Optional(Type.String({ maxLength: 1024 })),
})
export type TemplateContent = Static<typeof TemplateContent>

export const TemplateId = Type.String({ minLength: 1, maxLength: 256 })
const Name = Type.String({ minLength: 1, maxLength: 256 })
const Description = Type.String({ maxLength: 1024 })
const formats = ['html', 'markdown'] as const
const Format = OneOf(formats, { description: 'Format of `html`.' })
const Owner = Nullable(
  Type.String({
    maxLength: 256,
    description: 'Owner of the template. Null if it is available to all accounts.',
  }),
)

export const TemplateCreation = Strict({
  account: Nullable(AccountId),
  name: Name,
  description: Type.Optional(Description),
  format: Type.Optional(OneOf(formats, { default: 'html' })),
  content: TemplateContent,
})
export type TemplateCreation = Static<typeof TemplateCreation>

/** Body of an update. Absent members stay; `content` is replaced as a whole. */
export const TemplateUpdate = Strict({
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  format: Type.Optional(Format),
  content: Type.Optional(TemplateContent),
})
export type TemplateUpdate = Static<typeof TemplateUpdate>

const listed = {
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  format: Format,
  created: IsoDate,
  updated: IsoDate,
}
export const TemplateListEntry = Type.Object(listed)
export const TemplateRecord = Type.Object({ account: Owner, ...listed, content: TemplateContent })

/** Members that identify the template of a response. */
export const templateIdentity = { account: Owner, id: Type.String() }
