import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AccountId, Nullable, pageCounts, pageQuery, Strict } from '../schemas/primitives.ts'
import {
  TemplateCreation,
  TemplateId,
  TemplateListEntry,
  TemplateRecord,
  TemplateUpdate,
  templateIdentity,
} from '../schemas/template.ts'

const params = Strict({ template: TemplateId })
const group = 'template'

export const listTemplates = defineOperation({
  id: 'listTemplates',
  method: 'get',
  path: '/v1/templates',
  tag: 'Template',
  summary: 'List templates',
  description:
    'Lists the templates of an account. Without `account`, lists those available to all accounts. A token bound to an account must name that account.',
  scope: 'api',
  permission: { action: 'read', group },
  boundBy: 'query',
  query: Strict({ ...pageQuery, account: Type.Optional(AccountId) }),
  response: Type.Object({
    account: Nullable(Type.String()),
    ...pageCounts,
    templates: Type.Array(TemplateListEntry),
  }),
})

export const createTemplate = defineOperation({
  id: 'createTemplate',
  method: 'post',
  path: '/v1/templates/template',
  tag: 'Template',
  summary: 'Create a template',
  description: 'A token bound to an account always creates the template for that account.',
  scope: 'api',
  permission: { action: 'write', group },
  boundBy: 'handler',
  bodyLimit: 'upload',
  body: TemplateCreation,
  response: Type.Object({ created: Type.Boolean(), ...templateIdentity }),
})

export const getTemplate = defineOperation({
  id: 'getTemplate',
  method: 'get',
  path: '/v1/templates/template/:template',
  tag: 'Template',
  summary: 'Read a template',
  description: 'Templates available to all accounts can be read with any token.',
  scope: 'api',
  permission: { action: 'read', group },
  boundBy: 'handler',
  params,
  response: TemplateRecord,
  errors: ['NotFound'],
})

export const updateTemplate = defineOperation({
  id: 'updateTemplate',
  method: 'put',
  path: '/v1/templates/template/:template',
  tag: 'Template',
  summary: 'Change a template',
  scope: 'api',
  permission: { action: 'write', group },
  boundBy: 'handler',
  bodyLimit: 'upload',
  params,
  body: TemplateUpdate,
  response: Type.Object({ updated: Type.Boolean(), ...templateIdentity }),
  errors: ['NotFound'],
})

export const deleteTemplate = defineOperation({
  id: 'deleteTemplate',
  method: 'delete',
  path: '/v1/templates/template/:template',
  tag: 'Template',
  summary: 'Delete a template',
  scope: 'api',
  permission: { action: 'destructive', group },
  boundBy: 'handler',
  params,
  response: Type.Object({ deleted: Type.Boolean(), ...templateIdentity }),
  errors: ['NotFound'],
})

export const flushTemplates = defineOperation({
  id: 'flushTemplates',
  method: 'delete',
  path: '/v1/templates/account/:account',
  tag: 'Template',
  summary: 'Delete all templates of an account',
  scope: 'api',
  permission: { action: 'destructive', group },
  params: Strict({ account: AccountId }),
  query: Strict({
    force: Type.Optional(Type.Boolean({ default: false, description: 'Must be true.' })),
  }),
  response: Type.Object({ flushed: Type.Boolean(), account: Type.String() }),
  errors: ['ForceRequired'],
})
