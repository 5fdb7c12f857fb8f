/** Maximum number of source files directly in a folder. Folders with more files need a reason. */
export const maxFolderFiles = 15

/**
 * Reasons why a source folder has more files than `maxFolderFiles`, by path of the folder. Files of
 * such a folder have the same form, so that a reader finds a file by its name.
 */
export const largeFolders: Readonly<Record<string, string>> = {
  'libs/backends/src/gmail': 'one file for each group of requests to the Gmail API',
  'libs/backends/src/graph': 'one file for each group of requests to Microsoft Graph',
  'libs/backends/src/imap/messages': 'one file for each IMAP command or response item of messages',
  'libs/contracts/src': 'rules that operations, commands, events and settings share',
  'libs/contracts/src/commands': 'one file for each group of commands between services',
  'libs/contracts/src/operations': 'one file for each group of API operations',
  'libs/contracts/src/schemas': 'one file for each entity of the API',
  'libs/db/src': 'one file for each function that several services use; index.ts lists them',
  'libs/db/src/tables': 'one file for each group of tables',
  'libs/docs/src/reference': 'one file for each kind of page or table of the reference',
  'libs/flow/src': 'one file for each primitive of concurrency; index.ts lists them',
  'libs/http/src': 'one file for each part of an HTTP server; index.ts lists them',
  'libs/mime/src': 'one file for each transformation of messages; index.ts lists them',
  'libs/service/src': 'one file for each step of the start or setting that services share',
  'libs/testkit/src/providers/graph': 'one file for each group of endpoints of the fake',
  'libs/tooling/src': 'one file for each static check',
  'services/admin-ui/src/endpoints': 'one file for each endpoint or group of endpoints',
  'services/admin-ui/web/src/data': 'one file for each entity that pages load or change',
  'services/api-gateway/src/accounts': 'one file for each rule or step of a registration',
  'services/auth-bridge/src/commands': 'one file for each command',
  'services/auth-bridge/src/oauth2': 'one file for each grant, request or rule of OAuth2',
  'services/sync-worker/src/drivers/api/feeds': 'one file for each step of a sync pass over feeds',
  'services/sync-worker/src/store': 'one file for each table or group of tables',
}
