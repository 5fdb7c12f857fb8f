import { ids } from './cast.ts'

/** Examples of parameters that have the same meaning in all operations, by parameter name. */
const general: Readonly<Record<string, string>> = {
  account: 'jane',
  app: ids.app,
  attachment: ids.attachment,
  delivery: ids.delivery,
  email: 'jane@example.com',
  exportId: ids.export,
  gateway: 'relay',
  listId: 'news',
  message: ids.message,
  path: 'INBOX',
  queue: 'submit',
  queueId: ids.submission,
  recipient: 'ada@example.org',
  replay: ids.replay,
  template: ids.template,
  text: ids.text,
  token: ids.token,
  webhookRoute: ids.route,
  job: ids.job,
  worker: ids.worker,
}

/** Examples of parameters of single operations: their own values, and optional parameters. */
const special: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  deleteMailbox: { path: 'Clients/Example' },
  getEvent: { event: ids.event },
  flushTemplates: { force: true },
  getStatsSeries: { keys: 'events:messageNew,submit:fail' },
  searchMessages: { path: 'INBOX' },
  submitDraft: { message: ids.draft },
}

/**
 * Example of a parameter of an operation for the OpenAPI document. Required parameters and
 * parameters without which the operation fails have an example.
 */
export function parameterExample(
  operationId: string,
  { name, isRequired }: { name: string; isRequired: boolean },
): string | boolean | undefined {
  return special[operationId]?.[name] ?? (isRequired ? general[name] : undefined)
}
