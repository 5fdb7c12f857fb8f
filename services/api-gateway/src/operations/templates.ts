import { randomBytes } from 'node:crypto'
import { fieldError } from '@posthorn/contracts/describe-error'
import { operations } from '@posthorn/contracts/operations'
import type { TemplateContent, TemplateUpdate } from '@posthorn/contracts/schemas/template'
import { validationError } from '@posthorn/contracts/validate'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Renderer, TemplateFormat } from '@posthorn/templates'
import { assertAccount, isBoundElsewhere } from '../access/authorize.ts'
import type { Token } from '../store/access/tokens.ts'
import { handle, type OperationHandler } from '../http/handle.ts'
import { getOwner } from '../store/accounts/accounts.ts'
import {
  deleteTemplate,
  deleteTemplatesOf,
  findTemplateContent,
  getTemplate,
  insertTemplate,
  listTemplates,
  type TemplateColumns,
  templateNotFound,
  type TemplateRow,
  updateTemplate,
} from '../store/messages/templates.ts'
import type { OperationDeps } from './operation-deps.ts'
import { present } from './present.ts'

type TemplateDeps = Pick<OperationDeps, 'db' | 'renderer'>

/**
 * Operations on message templates. A change of a template does not affect queued messages, which
 * are already rendered.
 */
export function templateHandlers({ db, renderer }: TemplateDeps): OperationHandler[] {
  return [
    handle(operations.listTemplates, async ({ query: { account = null, ...page } }) => {
      if (account !== null) await getOwner(db, account)
      const { rows, ...counts } = await listTemplates(db, { account, ...page })
      return { account, ...counts, templates: rows.map(describeListed) }
    }),
    handle(operations.getTemplate, async ({ params, caller }) => {
      const { account, content, ...row } = await getTemplate(db, params.template)
      if (isForeign(caller.token, account)) throw templateNotFound()
      return { account, ...describeListed(row), content }
    }),
    handle(operations.createTemplate, async ({ body, caller }) => {
      const { name, description = null, format = 'html', content } = body
      const account = caller.token?.account ?? body.account
      await checkContent(renderer, content, format)
      // Ids of templates of other accounts are hidden from a bound token, which could find an id by
      // choosing the same id.
      if (body.id !== undefined && caller.token?.account)
        throw validationError([fieldError('id', 'is not allowed with a token of an account')])
      const id = body.id ?? randomBytes(16).toString('base64url')
      const columns = { id, account, name, description, format }
      const created = await insertTemplate(db, { ...columns, content: JSON.stringify(content) })
      // The owner (account) of an existing message template can differ from the account of the
      // request.
      const stored = created ? undefined : await findTemplateContent(db, id)
      return { created, account: stored ? stored.account : account, id }
    }),
    handle(operations.updateTemplate, async ({ params: { template: id }, body, caller }) => {
      const stored = await getOwnTemplate(db, id, caller.token)
      const { content, format = stored.format } = body
      if (content) await checkContent(renderer, content, format)
      await updateTemplate(db, id, columnsOf(body))
      return { updated: true, account: stored.account, id }
    }),
    handle(operations.deleteTemplate, async ({ params: { template: id }, caller }) => {
      const { account } = await getOwnTemplate(db, id, caller.token)
      await deleteTemplate(db, id)
      return { deleted: true, account, id }
    }),
    handle(operations.flushTemplates, async ({ params: { account }, query }) => {
      if (!query.force)
        throw new AppError('invalid', 'force must be true to delete all templates of an account', {
          code: 'ForceRequired',
        })
      await getOwner(db, account)
      await deleteTemplatesOf(db, account)
      return { flushed: true, account }
    }),
  ]
}

/**
 * True if a template belongs to an account to which the access token is not bound. The API hides
 * such a template from the token, so that its holder cannot find ids of other accounts.
 */
function isForeign(token: Token | null, owner: string | null): boolean {
  return owner !== null && isBoundElsewhere(token, owner)
}

/**
 * Loads a message template that the access token may change.
 *
 * @throws AppError `not-found`, also for a template of another account; `forbidden` for a shared
 * template and a token that is bound to an account
 */
async function getOwnTemplate(db: Db, id: string, token: Token | null) {
  const stored = await findTemplateContent(db, id)
  if (!stored || isForeign(token, stored.account)) throw templateNotFound()
  assertAccount(token, stored.account)
  return stored
}

/**
 * Checks the texts of a message template.
 *
 * @throws AppError `invalid` with one field per text that is not a valid template
 */
async function checkContent(renderer: Renderer, content: TemplateContent, format: TemplateFormat) {
  const problems = await renderer.check(content, format)
  if (problems.length === 0) return
  throw validationError(
    problems.map(({ field, line, reason }) => {
      const position = line === undefined ? '' : ` (line ${line})`
      return fieldError(`content.${field}`, `is not a template${position}: ${reason}`)
    }),
  )
}

function columnsOf({ content, ...columns }: TemplateUpdate): TemplateColumns {
  return content === undefined ? columns : { ...columns, content: JSON.stringify(content) }
}

function describeListed({
  createdAt,
  updatedAt,
  ...row
}: Omit<TemplateRow, 'account' | 'content'>) {
  const times = { created: createdAt.toISOString(), updated: updatedAt.toISOString() }
  return { ...present(row), ...times }
}
