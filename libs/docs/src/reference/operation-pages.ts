import { apiDocument, apiOperations, type LocatedOperation } from './api-document.ts'
import { anchorOf, markdownPage } from './markdown.ts'
import { namedSchemaSection } from './member-table.ts'
import { errorTable } from './operation-errors.ts'
import { operationSection } from './operation-section.ts'
import { parameterTable, sharedParameters } from './parameter-tables.ts'

/** File name and title of the documentation page of each OpenAPI tag, by name of the tag. */
const pages: Readonly<Record<string, readonly [file: string, title: string]>> = {
  Account: ['accounts', 'Accounts'],
  'Account transfer': ['account-transfers', 'Account transfers'],
  Blocklist: ['blocklists', 'Blocklists'],
  Stats: ['stats', 'Statistics and changes'],
  Export: ['exports', 'Exports'],
  Gateway: ['gateways', 'Gateways'],
  Installation: ['installation', 'Installation'],
  Jobs: ['jobs', 'Bulk jobs'],
  License: ['license', 'License'],
  Logs: ['logs', 'Logs'],
  Mailbox: ['mailboxes', 'Mailboxes'],
  Message: ['messages', 'Messages'],
  'OAuth2 applications': ['oauth2-applications', 'OAuth2 applications'],
  Outbox: ['outbox', 'Outbox'],
  Settings: ['settings', 'Settings and queues'],
  Submit: ['submit', 'Submissions'],
  Template: ['templates', 'Templates'],
  Token: ['tokens', 'Access tokens'],
  Webhooks: ['webhooks', 'Webhook deliveries'],
  'Webhook routes': ['webhook-routes', 'Webhook routes'],
}

/** Documentation pages of the API operations, one page per tag, by path. */
export function operationPages(): Map<string, string> {
  const titles = apiDocument.tags.map(({ name }) => pages[name]?.[1] ?? name).sort()
  return new Map(
    apiDocument.tags.map(({ name, description }) => {
      const [file, title] = pageOf(name)
      const operations = apiOperations.filter(({ tags }) => tags.includes(name))
      const head = {
        title,
        description: firstSentence(description),
        order: titles.indexOf(title) + 1,
      }
      const shared = sharedParameters(operations)
      const parts = [
        description,
        overview(operations),
        ...operations.flatMap((operation) => operationSection(operation, shared)),
        ...(shared.length === 0 ? [] : ['## Parameters', parameterTable(shared)]),
        '## Errors',
        'Meanings of the statuses and error codes on this page. [Errors](../errors.md) describes the body of error responses.',
        errorTable(operations),
        ...namedSchemaSection(operations),
      ]
      return [`reference/operations/${file}.md`, markdownPage(head, parts)]
    }),
  )
}

function pageOf(tag: string): readonly [string, string] {
  const page = pages[tag]
  if (page === undefined)
    throw new Error(`the tag ${tag} has no page, add it to operation-pages.ts`)
  return page
}

function overview(operations: readonly LocatedOperation[]): string {
  return operations
    .map(
      ({ summary, method, path }) => `- [${summary}](#${anchorOf(summary)}): \`${method} ${path}\``,
    )
    .join('\n')
}

function firstSentence(text: string): string {
  return /^.*?\.(?=\s|$)/s.exec(text)?.[0] ?? text
}
