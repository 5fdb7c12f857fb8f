import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import {
  AccountId,
  Bool,
  described,
  Nullable,
  pageCounts,
  pageQuery,
  Strict,
  Text,
} from '../schemas/primitives.ts'
import {
  TemplateCreation,
  TemplateId,
  TemplateListEntry,
  TemplateRecord,
  TemplateUpdate,
  templateIdentity,
} from '../schemas/template.ts'

const kinds = operationKinds('Template', 'template')
const params = Strict({ template: TemplateId })
const template = resourceOperations(kinds, params)

export const listTemplates = defineOperation({
  ...template.list,
  id: 'listTemplates',
  path: '/v1/templates',
  summary: 'List templates',
  description:
    'Lists the templates of an account. Without `account`, lists the templates that are available to all accounts. A token that is bound to an account must name that account.',
  boundBy: 'query',
  query: Strict({
    ...pageQuery,
    account: Type.Optional(
      described(
        'Id of the account whose templates are listed. If absent, the templates that are available to all accounts are listed.',
        AccountId,
      ),
    ),
  }),
  responseDescription: 'One page of the templates, newest first, without their texts.',
  response: Type.Object({
    account: Nullable(Text('Id of the requested account. Null if the request had no account.')),
    ...pageCounts,
    templates: Type.Array(TemplateListEntry, {
      description: 'Templates of this page, newest first.',
    }),
  }),
})

export const createTemplate = defineOperation({
  ...template.create,
  id: 'createTemplate',
  path: '/v1/templates/template',
  summary: 'Create a template',
  description:
    'Creates a template: a subject and texts with placeholders, which a submission names in `template`. A token that is bound to an account always creates the template for that account.',
  boundBy: 'handler',
  bodyLimit: 'upload',
  body: TemplateCreation,
  responseDescription: 'Id and owner of the new template.',
  response: Type.Object({
    created: Bool('False if the chosen id existed already. Nothing was changed then.'),
    ...templateIdentity,
  }),
})

export const getTemplate = defineOperation({
  ...template.get,
  id: 'getTemplate',
  path: '/v1/templates/template/:template',
  summary: 'Read a template',
  description:
    'Reads a template with its texts. A template that is available to all accounts can be read with any token. For a token that is bound to an account, templates of other accounts do not exist (404).',
  boundBy: 'handler',
  responseDescription: 'The template with its texts.',
  response: TemplateRecord,
  errors: ['NotFound'],
})

export const updateTemplate = defineOperation({
  ...template.update,
  id: 'updateTemplate',
  path: '/v1/templates/template/:template',
  summary: 'Change a template',
  description:
    'Changes a template: the members that the request contains. Absent members keep their values. `content` is replaced as a whole. Messages in the outbox are not changed.',
  boundBy: 'handler',
  bodyLimit: 'upload',
  body: TemplateUpdate,
  responseDescription: 'Id and owner of the template.',
  response: Type.Object({
    updated: Bool('Always true: a failed request gets an error response.'),
    ...templateIdentity,
  }),
  errors: ['NotFound'],
})

export const deleteTemplate = defineOperation({
  ...template.delete,
  id: 'deleteTemplate',
  path: '/v1/templates/template/:template',
  summary: 'Delete a template',
  description: 'Deletes a template. Messages in the outbox are not changed.',
  boundBy: 'handler',
  responseDescription: 'Id and owner of the deleted template.',
  response: Type.Object({
    deleted: Bool('Always true: a failed request gets an error response.'),
    ...templateIdentity,
  }),
  errors: ['NotFound'],
})

export const flushTemplates = defineOperation({
  ...kinds.destructive,
  id: 'flushTemplates',
  method: 'delete',
  path: '/v1/templates/account/:account',
  summary: 'Delete all templates of an account',
  description:
    'Deletes all templates of an account. Templates that are available to all accounts remain. `force` must be true.',
  params: Strict({ account: AccountId }),
  query: Strict({
    force: Type.Optional(
      Bool('Confirmation: must be true, otherwise the request fails with `ForceRequired`.', {
        default: false,
      }),
    ),
  }),
  responseDescription: 'Id of the account.',
  response: Type.Object({
    flushed: Bool('Always true: a failed request gets an error response.'),
    account: Text('Id of the account whose templates were deleted.'),
  }),
  errors: ['ForceRequired'],
})
