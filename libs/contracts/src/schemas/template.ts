import { type Static, Type } from 'typebox'
import {
  AccountId,
  ChosenId,
  described,
  Nullable,
  OneOf,
  Strict,
  Text,
  Time,
} from './primitives.ts'

const maxTextLength = 5 * 1024 * 1024

/** Texts of a message template, with placeholders. */
export const TemplateContent = Strict(
  {
    subject: Type.Optional(
      Text('Subject of the message, with placeholders such as `{{params.name}}`.', {
        maxLength: 10_240,
      }),
    ),
    text: Type.Optional(
      Text('Body of the message as plain text, with placeholders.', { maxLength: maxTextLength }),
    ),
    html: Type.Optional(
      Text('Body of the message as HTML or Markdown, depending on `format`, with placeholders.', {
        maxLength: maxTextLength,
      }),
    ),
    previewText: Type.Optional(
      Text('Preview text that mail clients show in message lists, with placeholders.', {
        maxLength: 1024,
      }),
    ),
  },
  {
    description:
      'Subject and texts of the template, with placeholders that are replaced in each message.',
  },
)
export type TemplateContent = Static<typeof TemplateContent>

const id = { minLength: 1, maxLength: 256 }
export const TemplateId = Text('Id of the template.', id)
const name = Text('Name of the template, by which submissions can refer to the template.', id)
const description = Type.Optional(
  Text('Description of the template, for information only.', { maxLength: 1024 }),
)
const formats = ['html', 'markdown'] as const
const format =
  'Format of `html` in the template: `html` (default) or `markdown`, which is converted to HTML.'
const owner = Nullable(
  Text('Id of the account that owns the template. Null if all accounts can use the template.', {
    maxLength: 256,
  }),
)

export const TemplateCreation = Strict({
  id: ChosenId('template'),
  account: described(
    'Id of the account that owns the template. Null: all accounts can use the template.',
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
  id: Text('Id of the template.'),
  name: Text('Name of the template, by which submissions can refer to the template.'),
  description: Type.Optional(Text('Description of the template, for information only.')),
  format: OneOf(formats, { description: format }),
  created: Time('Time at which the template was created (ISO 8601).'),
  updated: Time('Time of the last change of the template (ISO 8601).'),
}
export const TemplateListEntry = Type.Object(listed)
export const TemplateRecord = Type.Object({ account: owner, ...listed, content: TemplateContent })

/** Members with which an API response identifies a message template. */
export const templateIdentity = { account: owner, id: listed.id }
