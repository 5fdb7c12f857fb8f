import { type Static, Type } from 'typebox'
import { AccountId, described, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'

const maxTextLength = 5 * 1024 * 1024

/** Texts of a message template, with placeholders. */
export const TemplateContent = Strict(
  {
    subject: Type.Optional(Text('Subject.', { maxLength: 10_240 })),
    text: Type.Optional(Text('Body as plain text.', { maxLength: maxTextLength })),
    html: Type.Optional(
      Text('Body as HTML or Markdown, depending on `format`.', { maxLength: maxTextLength }),
    ),
    previewText: Type.Optional(
      Text('Preview that mail clients show in message lists.', { maxLength: 1024 }),
    ),
  },
  { description: 'Texts with placeholders.' },
)
export type TemplateContent = Static<typeof TemplateContent>

const id = { minLength: 1, maxLength: 256 }
export const TemplateId = Text('Template id.', id)
const name = Text('Name of the template.', id)
const description = Type.Optional(Text('Description of the template.', { maxLength: 1024 }))
const formats = ['html', 'markdown'] as const
const format = 'Format of `html`.'
const owner = Nullable(
  Text('Owner of the template. Null if it is available to all accounts.', { maxLength: 256 }),
)

export const TemplateCreation = Strict({
  account: described(
    'Owner of the template. Null: it is available to all accounts.',
    Nullable(AccountId),
  ),
  name,
  description,
  format: Type.Optional(OneOf(formats, { default: 'html', description: format })),
  content: TemplateContent,
})
export type TemplateCreation = Static<typeof TemplateCreation>

/**
 * Body of an update of a message template. Absent members keep their stored value. `content` is
 * replaced as a whole.
 */
export const TemplateUpdate = Strict({
  name: Type.Optional(name),
  description,
  format: Type.Optional(OneOf(formats, { description: format })),
  content: Type.Optional(TemplateContent),
})
export type TemplateUpdate = Static<typeof TemplateUpdate>

const listed = {
  id: Text('Template id.'),
  name: Text('Name of the template.'),
  description: Type.Optional(Text('Description of the template.')),
  format: OneOf(formats, { description: format }),
  created: Time('Time of creation (ISO 8601).'),
  updated: Time('Time of the last change (ISO 8601).'),
}
export const TemplateListEntry = Type.Object(listed)
export const TemplateRecord = Type.Object({ account: owner, ...listed, content: TemplateContent })

/** Members with which an API response identifies a message template. */
export const templateIdentity = { account: owner, id: listed.id }
