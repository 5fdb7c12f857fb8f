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
    'Lists the templates of an account. Without `account`, lists those available to all accounts. A token bound to an account must name that account.',
  boundBy: 'query',
  query: Strict({
    ...pageQuery,
    account: Type.Optional(described('Owner of the templates.', AccountId)),
  }),
  response: Type.Object({
    account: Nullable(Text('Requested account. Null if none was named.')),
    ...pageCounts,
    templates: Type.Array(TemplateListEntry, { description: 'Templates of this page.' }),
  }),
})

export const createTemplate = defineOperation({
  ...template.create,
  id: 'createTemplate',
  path: '/v1/templates/template',
  summary: 'Create a template',
  description: 'A token bound to an account always creates the template for that account.',
  boundBy: 'handler',
  bodyLimit: 'upload',
  body: TemplateCreation,
  response: Type.Object({ created: Bool('Always true.'), ...templateIdentity }),
})

export const getTemplate = defineOperation({
  ...template.get,
  id: 'getTemplate',
  path: '/v1/templates/template/:template',
  summary: 'Read a template',
  description:
    'Templates available to all accounts can be read with any token. For a token that is bound to an account, templates of other accounts do not exist.',
  boundBy: 'handler',
  response: TemplateRecord,
  errors: ['NotFound'],
})

export const updateTemplate = defineOperation({
  ...template.update,
  id: 'updateTemplate',
  path: '/v1/templates/template/:template',
  summary: 'Change a template',
  boundBy: 'handler',
  bodyLimit: 'upload',
  body: TemplateUpdate,
  response: Type.Object({ updated: Bool('Always true.'), ...templateIdentity }),
  errors: ['NotFound'],
})

export const deleteTemplate = defineOperation({
  ...template.delete,
  id: 'deleteTemplate',
  path: '/v1/templates/template/:template',
  summary: 'Delete a template',
  boundBy: 'handler',
  response: Type.Object({ deleted: Bool('Always true.'), ...templateIdentity }),
  errors: ['NotFound'],
})

export const flushTemplates = defineOperation({
  ...kinds.destructive,
  id: 'flushTemplates',
  method: 'delete',
  path: '/v1/templates/account/:account',
  summary: 'Delete all templates of an account',
  params: Strict({ account: AccountId }),
  query: Strict({
    force: Type.Optional(Bool('Confirmation: must be true.', { default: false })),
  }),
  response: Type.Object({ flushed: Bool('Always true.'), account: Text('Account id.') }),
  errors: ['ForceRequired'],
})
