// Written by `make client` from the contracts, do not edit.

import {
  defineDownload,
  defineList,
  defineOperation,
  defineResumableDownload,
  defineSubmission,
  defineTextOperation,
} from '../calls/define-operations.ts'
import type * as types from './inputs.ts'

/**
 * Export accounts for another instance
 *
 * Returns the settings of accounts, with all secrets sealed (encrypted) for the public key of
 * another instance. The key must be listed in `SVC_ACCOUNT_EXPORT_KEYS` of auth-bridge. Nothing
 * is changed.
 */
export const exportAccounts = /* @__PURE__ */ defineOperation<
  types.ExportAccountsInput,
  types.ExportAccountsResult
>(
  'exportAccounts',
  'POST /admin/api/accountExports',
)

/**
 * Import accounts from another instance
 *
 * Registers accounts that another instance has exported for a key of this instance. Existing
 * accounts stay unchanged, so that a request can be repeated. auth-bridge checks every secret
 * before its account is stored.
 */
export const importAccounts = /* @__PURE__ */ defineOperation<
  types.ImportAccountsInput,
  types.ImportAccountsResult
>(
  'importAccounts',
  'POST /admin/api/accountImports',
)

/**
 * List the public sealing keys
 *
 * Lists the public keys with which this instance seals (encrypts) secrets. Another instance
 * exports accounts for the current key.
 */
export const listKeys = /* @__PURE__ */ defineOperation<
  types.ListKeysInput,
  types.ListKeysResult
>(
  'listKeys',
  'GET /admin/api/keys',
)

/**
 * Register or update an account
 *
 * Registers an account: a mail login with its servers or mail provider. If the account id
 * exists, the account is updated in place. The request does not test the credentials: read the
 * state of the account, or wait for the events `authenticationSuccess`, `authenticationError`
 * and `connectError`.
 */
export const createAccount = /* @__PURE__ */ defineOperation<
  types.CreateAccountInput,
  types.CreateAccountResult
>(
  'createAccount',
  'POST /v1/account',
)

/**
 * Delete an account
 *
 * Deletes an account with its credentials, mailbox index, queued messages and tokens. Messages
 * on the mail server are not deleted.
 */
export const deleteAccount = /* @__PURE__ */ defineOperation<
  types.DeleteAccountInput,
  types.DeleteAccountResult
>(
  'deleteAccount',
  'DELETE /v1/account/{account}',
)

/**
 * Read an account with its state
 *
 * Reads the settings, the state and the last error of an account. With `quota`, the mail server
 * is asked for the storage quota, so that the request needs the worker of the account. Without
 * `quota`, the response comes from the database and is available in every state.
 */
export const getAccount = /* @__PURE__ */ defineOperation<
  types.GetAccountInput,
  types.GetAccountResult
>(
  'getAccount',
  'GET /v1/account/{account}',
)

/**
 * Change an account
 *
 * Changes an account: the members that the request contains. Absent members keep their values,
 * `null` and `false` remove a value. A stored password or access token is never sent to a new
 * host: a request that changes `host` must include the password or access token. A token that
 * is bound to an account cannot change the user, server, TLS options or proxy of stored
 * credentials, and cannot set another proxy. With `oauth2.authorize`, nothing changes until the
 * owner of the mailbox has consented.
 */
export const updateAccount = /* @__PURE__ */ defineOperation<
  types.UpdateAccountInput,
  types.UpdateAccountResult
>(
  'updateAccount',
  'PUT /v1/account/{account}',
)

/**
 * List accounts
 *
 * Lists accounts with their states, sorted by account id. The query selects accounts by state,
 * error, mail system, provider and worker, and by a text in id, name or address.
 */
export const listAccounts = /* @__PURE__ */ defineList<
  types.ListAccountsInput,
  types.ListAccountsResult,
  'accounts'
>(
  'listAccounts',
  'GET /v1/accounts',
  'accounts',
)

/**
 * Create a link to the hosted form for connecting a mailbox
 *
 * Creates a link to a page on which the owner of a mailbox connects the mailbox: by sign-in at
 * a mail provider, or with a password. The link is valid for 24 hours and for one registration.
 * The setting `serviceUrl` must be set. The pages are in the language of the setting `locale`,
 * else in that of the browser. The query parameter `locale`, appended to the URL, selects
 * another language: `en`, `de`, `fr`, `es`, `nl`, `pl`, `et`, `ja` or `pt`.
 */
export const createAuthenticationForm = /* @__PURE__ */ defineOperation<
  types.CreateAuthenticationFormInput,
  types.CreateAuthenticationFormResult
>(
  'createAuthenticationForm',
  'POST /v1/authentication/form',
)

/**
 * Look up the mail servers of an address
 *
 * Looks up the mail servers of an email address: at well-known providers, in DNS and in the
 * autoconfiguration of the domain. The servers are not tested. `imap` and `smtp` are false if
 * nothing was found.
 */
export const getAutoconfig = /* @__PURE__ */ defineOperation<
  types.GetAutoconfigInput,
  types.GetAutoconfigResult
>(
  'getAutoconfig',
  'GET /v1/autoconfig',
)

/**
 * Add an address to a blocklist
 *
 * Adds an email address to the blocklist of an account. The address then receives no messages
 * that the account sends to the list (`listId` of the submission). The first address creates
 * the blocklist. An address that is already on the blocklist keeps its entry.
 */
export const addToBlocklist = /* @__PURE__ */ defineOperation<
  types.AddToBlocklistInput,
  types.AddToBlocklistResult
>(
  'addToBlocklist',
  'POST /v1/blocklist/{listId}',
)

/**
 * List the addresses of a blocklist
 *
 * Lists the addresses on the blocklists with this id, of all accounts, sorted from newest to
 * oldest. A blocklist without addresses does not exist (404).
 */
export const getBlocklist = /* @__PURE__ */ defineList<
  types.GetBlocklistInput,
  types.GetBlocklistResult,
  'addresses'
>(
  'getBlocklist',
  'GET /v1/blocklist/{listId}',
  'addresses',
)

/**
 * Remove an address from a blocklist
 *
 * Removes an email address from the blocklists with this id, of all accounts. `deleted` is
 * false if the address is on none of them.
 */
export const removeFromBlocklist = /* @__PURE__ */ defineOperation<
  types.RemoveFromBlocklistInput,
  types.RemoveFromBlocklistResult
>(
  'removeFromBlocklist',
  'DELETE /v1/blocklist/{listId}',
)

/**
 * List blocklists
 *
 * Lists the ids of blocklists with their numbers of addresses. A blocklist belongs to an
 * account. Blocklists of several accounts with the same id are counted together. Blocklists
 * without addresses are not included.
 */
export const listBlocklists = /* @__PURE__ */ defineList<
  types.ListBlocklistsInput,
  types.ListBlocklistsResult,
  'blocklists'
>(
  'listBlocklists',
  'GET /v1/blocklists',
  'blocklists',
)

/**
 * Follow state changes of all accounts and proxies
 *
 * Streams state changes as server-sent events. Each change is sent exactly once, in the same
 * order on all replicas. Frames of `event: message` carry a change as JSON: `{"account": "…",
 * "type": "state", "key": "connected", "payload": null}`. If the account has an error,
 * `payload.error` describes the error. The stream also has changes of type `address` and
 * `syncWarning` of accounts, and `smtpServerState` and `imapProxyServerState` of the proxies.
 * If a replica of a proxy crashes, the stream does not report the state `exited` of the
 * replica. To continue after a disconnect, send the id of the last frame in the header
 * `Last-Event-ID` or in the parameter `lastEventId`: the header takes precedence. Changes are
 * stored for 24 hours. If changes were missed, the first frame is `event: historyLost` with
 * `{"lastEventId": "…"}`, followed by the stored changes: read all accounts again. Comments
 * keep an idle connection open.
 */
export const followChanges = /* @__PURE__ */ defineDownload<
  types.FollowChangesInput
>(
  'followChanges',
  'GET /v1/changes',
)

/**
 * Follow recorded events
 *
 * Streams new events as server-sent events, without their webhook bodies. Each event is sent
 * exactly once, in the same order on all replicas. Frames of `event: message` carry an event as
 * JSON: `{"id": "…", "date": "…", "event": "messageNew", "account": "…", "path": "INBOX"}`. The
 * id of a frame is a number: it is the position in the stream, not the id of the event. To
 * continue after a disconnect, send the id of the last frame in the header `Last-Event-ID` or
 * in the parameter `lastEventId`: the header takes precedence. If events after this id were
 * deleted, the first frame is `event: historyLost` with `{"lastEventId": "…"}`, followed by the
 * stored events. Comments keep an idle connection open.
 */
export const followEvents = /* @__PURE__ */ defineDownload<
  types.FollowEventsInput
>(
  'followEvents',
  'GET /admin/api/events/stream',
)

/**
 * Read a recorded event
 *
 * Reads an event with the state of its webhook deliveries. With `payload=true`, the response
 * contains the webhook body of the event. People at the administration pages need the active
 * right to read mail for this body.
 */
export const getEvent = /* @__PURE__ */ defineOperation<
  types.GetEventInput,
  types.GetEventResult
>(
  'getEvent',
  'GET /admin/api/events/{event}',
)

/**
 * List recorded events
 *
 * Lists the events of all accounts, latest first, without their webhook bodies. Events are
 * listed whether webhooks are enabled or not. Events are stored for `SVC_EVENTS_KEEP_DAYS`
 * (default 7 days), and longer while they have a delivery that is due or failed.
 */
export const listEvents = /* @__PURE__ */ defineList<
  types.ListEventsInput,
  types.ListEventsResult,
  'events'
>(
  'listEvents',
  'GET /admin/api/events',
  'events',
)

/**
 * Export messages to a file
 *
 * Exports the messages of an account to a file. The export runs in the background and ends with
 * the event `exportCompleted` or `exportFailed`. The file contains one message per line in
 * JSON, in the order of the time of receipt, and is compressed with gzip.
 */
export const createExport = /* @__PURE__ */ defineOperation<
  types.CreateExportInput,
  types.CreateExportResult
>(
  'createExport',
  'POST /v1/account/{account}/export',
)

/**
 * Cancel or delete an export
 *
 * Cancels or deletes an export. A queued or running export becomes `cancelled`, without an
 * event. A completed, failed or cancelled export is deleted. The file is deleted within one
 * minute.
 */
export const deleteExport = /* @__PURE__ */ defineOperation<
  types.DeleteExportInput,
  types.DeleteExportResult
>(
  'deleteExport',
  'DELETE /v1/account/{account}/export/{exportId}',
)

/**
 * Read the status of an export
 *
 * Reads the status and the progress of an export. The file can be downloaded when `status` is
 * `completed`.
 */
export const getExport = /* @__PURE__ */ defineOperation<
  types.GetExportInput,
  types.GetExportResult
>(
  'getExport',
  'GET /v1/account/{account}/export/{exportId}',
)

/**
 * Download the file of an export
 *
 * Downloads the file of a completed export: one message per line in JSON, compressed with gzip
 * (`.ndjson.gz`). `HEAD` returns the headers without the file. Fails with `NotFound` until the
 * export is completed. An interrupted download continues with `Range: bytes=<received bytes>-`
 * and the `ETag` of the first response as `If-Range`. The response ends early if the file is
 * damaged, if the export is deleted, or if the token is revoked during the download.
 */
export const downloadExport = /* @__PURE__ */ defineResumableDownload<
  types.DownloadExportInput
>(
  'downloadExport',
  'GET /v1/account/{account}/export/{exportId}/download',
)

/**
 * List exports of all accounts
 *
 * Lists the exports of all accounts, sorted from newest to oldest, for operators. The query
 * selects exports by account and status.
 */
export const listAllExports = /* @__PURE__ */ defineList<
  types.ListAllExportsInput,
  types.ListAllExportsResult,
  'exports'
>(
  'listAllExports',
  'GET /admin/api/exports',
  'exports',
)

/**
 * List exports of an account
 *
 * Lists the exports of an account, sorted from newest to oldest. Expired exports are not
 * included.
 */
export const listExports = /* @__PURE__ */ defineList<
  types.ListExportsInput,
  types.ListExportsResult,
  'exports'
>(
  'listExports',
  'GET /v1/account/{account}/exports',
  'exports',
)

/**
 * Register or replace a gateway
 *
 * Registers a gateway: an SMTP server that sends messages instead of the outgoing servers of
 * accounts. A submission names the gateway in `gateway`. A gateway with the same id is replaced
 * and keeps its counters.
 */
export const createGateway = /* @__PURE__ */ defineOperation<
  types.CreateGatewayInput,
  types.CreateGatewayResult
>(
  'createGateway',
  'POST /v1/gateway',
)

/**
 * Delete a gateway
 *
 * Deletes a gateway with its password. Queued messages that name the gateway fail at their next
 * attempt.
 */
export const deleteGateway = /* @__PURE__ */ defineOperation<
  types.DeleteGatewayInput,
  types.DeleteGatewayResult
>(
  'deleteGateway',
  'DELETE /v1/gateway/{gateway}',
)

/**
 * Read a gateway
 *
 * Reads the server, the login name, the counters and the last error of a gateway.
 */
export const getGateway = /* @__PURE__ */ defineOperation<
  types.GetGatewayInput,
  types.GetGatewayResult
>(
  'getGateway',
  'GET /v1/gateway/{gateway}',
)

/**
 * List gateways
 *
 * Lists the gateways with their counters and last errors, sorted by gateway id.
 */
export const listGateways = /* @__PURE__ */ defineList<
  types.ListGatewaysInput,
  types.ListGatewaysResult,
  'gateways'
>(
  'listGateways',
  'GET /v1/gateways',
  'gateways',
)

/**
 * Change a gateway
 *
 * Changes a gateway: the members that the request contains. Absent members keep their values.
 * The change also applies to messages in the queue. A stored password is never sent to a new
 * host: a request that changes `host` must include the password.
 */
export const updateGateway = /* @__PURE__ */ defineOperation<
  types.UpdateGatewayInput,
  types.UpdateGatewayResult
>(
  'updateGateway',
  'PUT /v1/gateway/edit/{gateway}',
)

/**
 * Read counters over time
 *
 * Reads the counters of `GET /v1/stats` over time, in steps of one minute or longer. Counters
 * are stored for 8 days.
 */
export const getStatsSeries = /* @__PURE__ */ defineOperation<
  types.GetStatsSeriesInput,
  types.GetStatsSeriesResult
>(
  'getStatsSeries',
  'GET /admin/api/stats/series',
)

/**
 * List conditions that need attention
 *
 * Checks the installation for conditions that an operator should know: missing settings,
 * failing webhook targets, accounts without a worker, mail proxies that do not listen,
 * certificates that expire, late work, paused queues, failing logins of many accounts, failed
 * exports, the version of the database schema and the clock. Each finding names its remedy.
 */
export const listFindings = /* @__PURE__ */ defineOperation<
  types.ListFindingsInput,
  types.ListFindingsResult
>(
  'listFindings',
  'GET /admin/api/findings',
)

/**
 * List the mail proxies
 *
 * Lists the running replicas of imap-proxy and smtp-proxy, to which mail clients connect, with
 * their listeners, certificates and sessions. Each replica reports its state every 10 seconds,
 * and a change of its listener within a second. A replica without a report for 60 seconds is
 * not listed.
 */
export const listMailProxies = /* @__PURE__ */ defineOperation<
  types.ListMailProxiesInput,
  types.ListMailProxiesResult
>(
  'listMailProxies',
  'GET /admin/api/mailProxies',
)

/**
 * List the workers
 *
 * Lists the sync-worker processes, which serve the accounts, with their shards (groups of
 * accounts) and numbers of accounts.
 */
export const listWorkers = /* @__PURE__ */ defineOperation<
  types.ListWorkersInput,
  types.ListWorkersResult
>(
  'listWorkers',
  'GET /admin/api/workers',
)

/**
 * Release the shards of a worker
 *
 * Makes a worker hand its shards (groups of accounts) over to the other workers, as fast as
 * they can log the accounts in. The worker takes no shards from then on, until its process is
 * restarted, unless no other worker runs. `GET /admin/api/workers` shows the progress.
 */
export const releaseWorker = /* @__PURE__ */ defineOperation<
  types.ReleaseWorkerInput,
  types.ReleaseWorkerResult
>(
  'releaseWorker',
  'POST /admin/api/workers/{worker}/release',
)

/**
 * Cancel a job on accounts
 *
 * Cancels a job on accounts between two actions. Actions that were started are completed, all
 * others do not run. A job that has ended cannot be cancelled: `UnsupportedOperation`.
 * Cancelling a job twice has no further effect.
 */
export const cancelAccountJob = /* @__PURE__ */ defineOperation<
  types.CancelAccountJobInput,
  types.CancelAccountJobResult
>(
  'cancelAccountJob',
  'DELETE /admin/api/accountJobs/{job}',
)

/**
 * Read the progress of a job on accounts
 *
 * Reads the state of a job on accounts, its counts and its first errors.
 */
export const getAccountJob = /* @__PURE__ */ defineOperation<
  types.GetAccountJobInput,
  types.GetAccountJobResult
>(
  'getAccountJob',
  'GET /admin/api/accountJobs/{job}',
)

/**
 * Cancel a job on the outbox
 *
 * Cancels a job on messages in the outbox between two actions. Actions that were started are
 * completed, all others do not run. A job that has ended cannot be cancelled:
 * `UnsupportedOperation`. Cancelling a job twice has no further effect.
 */
export const cancelOutboxJob = /* @__PURE__ */ defineOperation<
  types.CancelOutboxJobInput,
  types.CancelOutboxJobResult
>(
  'cancelOutboxJob',
  'DELETE /admin/api/outboxJobs/{job}',
)

/**
 * Read the progress of a job on the outbox
 *
 * Reads the state of a job on messages in the outbox, its counts and its first errors.
 */
export const getOutboxJob = /* @__PURE__ */ defineOperation<
  types.GetOutboxJobInput,
  types.GetOutboxJobResult
>(
  'getOutboxJob',
  'GET /admin/api/outboxJobs/{job}',
)

/**
 * Run an action on many accounts
 *
 * Reconnects, syncs, flushes or deletes many accounts, or switches their protocol logs on or
 * off. The entries are selected by a filter or by up to 1,000 ids. The job runs in the
 * background and continues after the loss of a replica. Jobs with the same action run one after
 * the other. At most 10 unfinished jobs exist; further requests get the status 429. Reconnects
 * start at a pace of 25 per second, so 10,000 accounts take 7 minutes. Deleting more than one
 * account needs `confirm`.
 */
export const createAccountJob = /* @__PURE__ */ defineOperation<
  types.CreateAccountJobInput,
  types.CreateAccountJobResult
>(
  'createAccountJob',
  'POST /admin/api/accountJobs',
)

/**
 * List jobs on accounts
 *
 * Lists the jobs on accounts with their progress, newest first. Jobs are deleted 7 days after
 * their end.
 */
export const listAccountJobs = /* @__PURE__ */ defineList<
  types.ListAccountJobsInput,
  types.ListAccountJobsResult,
  'jobs'
>(
  'listAccountJobs',
  'GET /admin/api/accountJobs',
  'jobs',
)

/**
 * Run an action on many messages in the outbox
 *
 * Holds, releases, sends or cancels many messages in the outbox. The entries are selected by a
 * filter or by up to 1,000 ids. The job runs in the background and continues after the loss of
 * a replica. Jobs with the same action run one after the other. At most 10 unfinished jobs
 * exist; further requests get the status 429. Cancelling more than one message needs `confirm`.
 */
export const createOutboxJob = /* @__PURE__ */ defineOperation<
  types.CreateOutboxJobInput,
  types.CreateOutboxJobResult
>(
  'createOutboxJob',
  'POST /admin/api/outboxJobs',
)

/**
 * List jobs on the outbox
 *
 * Lists the jobs on messages in the outbox with their progress, newest first. Jobs are deleted
 * 7 days after their end.
 */
export const listOutboxJobs = /* @__PURE__ */ defineList<
  types.ListOutboxJobsInput,
  types.ListOutboxJobsResult,
  'jobs'
>(
  'listOutboxJobs',
  'GET /admin/api/outboxJobs',
  'jobs',
)

/**
 * Remove the license key
 *
 * Removes the license key. The operation exists for compatibility and always responds with 403,
 * because there is no license key.
 */
export const deleteLicense = /* @__PURE__ */ defineOperation<
  types.DeleteLicenseInput,
  types.DeleteLicenseResult
>(
  'deleteLicense',
  'DELETE /v1/license',
)

/**
 * Read the license
 *
 * Reads the license of the installation. The operation exists for compatibility: the license is
 * always active, without a license key.
 */
export const getLicense = /* @__PURE__ */ defineOperation<
  types.GetLicenseInput,
  types.GetLicenseResult
>(
  'getLicense',
  'GET /v1/license',
)

/**
 * Install a license key
 *
 * Installs a license key. The operation exists for compatibility and always responds with 403,
 * because no license key is needed.
 */
export const setLicense = /* @__PURE__ */ defineOperation<
  types.SetLicenseInput,
  types.SetLicenseResult
>(
  'setLicense',
  'POST /v1/license',
)

/**
 * Import the secret with which EmailEngine signed links
 *
 * Stores the service secret of EmailEngine, so that links in messages that EmailEngine sent
 * work here: open pixels, click redirects and links to unsubscribe. All replicas accept the
 * links within 1 second. New links are never signed with the secret, and links to the hosted
 * form are not accepted. A repeated import changes nothing. Up to 10 secrets can be stored.
 */
export const importLinkKey = /* @__PURE__ */ defineOperation<
  types.ImportLinkKeyInput,
  types.ImportLinkKeyResult
>(
  'importLinkKey',
  'POST /admin/api/linkKeyImports',
)

/**
 * Read the protocol log of an account
 *
 * Reads the latest lines of the protocol log of an account, oldest line first: IMAP commands
 * and responses, or requests to a mail API (Gmail API, Microsoft Graph) with status and time.
 * Credentials are not logged. The log is empty if logging is off for the account. A token that
 * is bound to an account, or has a permissions record, reads only the lines after the reply to
 * a login.
 */
export const getLogs = /* @__PURE__ */ defineTextOperation<
  types.GetLogsInput
>(
  'getLogs',
  'GET /v1/logs/{account}',
)

/**
 * Create a mailbox
 *
 * Creates a mailbox in an account. If the mail server rejects the change, the response is a
 * 400: `code` is the response code of the server, such as `ALREADYEXISTS` or `NONEXISTENT`, and
 * `info.response` is the text of the server.
 */
export const createMailbox = /* @__PURE__ */ defineOperation<
  types.CreateMailboxInput,
  types.CreateMailboxResult
>(
  'createMailbox',
  'POST /v1/account/{account}/mailbox',
)

/**
 * Delete a mailbox with its messages
 *
 * Deletes a mailbox with its messages. A Gmail label is deleted without its messages. The Inbox
 * cannot be deleted. If the mail server rejects the change, the response is a 400: `code` is
 * the response code of the server, such as `ALREADYEXISTS` or `NONEXISTENT`, and
 * `info.response` is the text of the server.
 */
export const deleteMailbox = /* @__PURE__ */ defineOperation<
  types.DeleteMailboxInput,
  types.DeleteMailboxResult
>(
  'deleteMailbox',
  'DELETE /v1/account/{account}/mailbox',
)

/**
 * Rename a mailbox or change its subscription
 *
 * Renames a mailbox, changes its subscription, or does both: at least one of `newPath` and
 * `subscribed` is required. A rename also renames the mailboxes below the mailbox. Message ids
 * stay valid if the mail server keeps the UIDs of the messages. If the mail server rejects the
 * change, the response is a 400: `code` is the response code of the server, such as
 * `ALREADYEXISTS` or `NONEXISTENT`, and `info.response` is the text of the server.
 */
export const updateMailbox = /* @__PURE__ */ defineOperation<
  types.UpdateMailboxInput,
  types.UpdateMailboxResult
>(
  'updateMailbox',
  'PUT /v1/account/{account}/mailbox',
)

/**
 * List mailboxes
 *
 * Lists the mailboxes of an account, as stored by the last sync. With `counters`, the mail
 * server is asked for the current number of messages in each mailbox.
 */
export const listMailboxes = /* @__PURE__ */ defineOperation<
  types.ListMailboxesInput,
  types.ListMailboxesResult
>(
  'listMailboxes',
  'GET /v1/account/{account}/mailboxes',
)

/**
 * Delete a message
 *
 * Moves a message to the trash mailbox. The message is deleted permanently if it is already in
 * the trash mailbox, if `force` is true, or if the account has no trash mailbox.
 */
export const deleteMessage = /* @__PURE__ */ defineOperation<
  types.DeleteMessageInput,
  types.DeleteMessageResult
>(
  'deleteMessage',
  'DELETE /v1/account/{account}/message/{message}',
  false,
)

/**
 * Change flags and labels of a message
 *
 * Adds, removes or replaces flags and labels of a message. For accounts on a mail API (Gmail
 * API, Microsoft Graph), `flags.result` and `labels.result` list all flags and labels after the
 * change.
 */
export const updateMessage = /* @__PURE__ */ defineOperation<
  types.UpdateMessageInput,
  types.UpdateMessageResult
>(
  'updateMessage',
  'PUT /v1/account/{account}/message/{message}',
)

/**
 * Read a message
 *
 * Reads a message with its headers, flags and list of attachments. Texts are included only if
 * `textType` or `webSafeHtml` is set. Download contents of attachments with `getAttachment`.
 */
export const getMessage = /* @__PURE__ */ defineOperation<
  types.GetMessageInput,
  types.GetMessageResult
>(
  'getMessage',
  'GET /v1/account/{account}/message/{message}',
)

/**
 * Delete all messages that match a search
 *
 * Moves all messages in a mailbox that match a search to the trash mailbox. The messages are
 * deleted permanently if they are already in the trash mailbox, or if `force` is true. Messages
 * are processed in batches. If the request times out (`X-SVC-Timeout`) between two batches, the
 * completed batches remain and the response is a 504: repeat the request. One request processes
 * at most 100,000 messages of an account at the Gmail API, and at most 1,000 messages at
 * Microsoft Graph: repeat the request until the response names no message.
 */
export const deleteMessages = /* @__PURE__ */ defineOperation<
  types.DeleteMessagesInput,
  types.DeleteMessagesResult
>(
  'deleteMessages',
  'PUT /v1/account/{account}/messages/delete',
  false,
)

/**
 * Move a message to another mailbox
 *
 * Moves a message to another mailbox of the account. On an IMAP account the message gets a new
 * id: use `id` of the response. `id` is absent if the mail server lacks UIDPLUS (RFC 4315),
 * with which mail servers report new UIDs.
 */
export const moveMessage = /* @__PURE__ */ defineOperation<
  types.MoveMessageInput,
  types.MoveMessageResult
>(
  'moveMessage',
  'PUT /v1/account/{account}/message/{message}/move',
)

/**
 * Move all messages that match a search to another mailbox
 *
 * Moves all messages in a mailbox that match a search to another mailbox. Messages are
 * processed in batches. If the request times out (`X-SVC-Timeout`) between two batches, the
 * completed batches remain and the response is a 504: repeat the request. One request processes
 * at most 100,000 messages of an account at the Gmail API, and at most 1,000 messages at
 * Microsoft Graph: repeat the request until the response names no message.
 */
export const moveMessages = /* @__PURE__ */ defineOperation<
  types.MoveMessagesInput,
  types.MoveMessagesResult
>(
  'moveMessages',
  'PUT /v1/account/{account}/messages/move',
)

/**
 * Change flags and labels of all messages that match a search
 *
 * Changes flags and labels of all messages in a mailbox that match a search. Messages are
 * processed in batches. If the request times out (`X-SVC-Timeout`) between two batches, the
 * completed batches remain and the response is a 504: repeat the request. One request processes
 * at most 100,000 messages of an account at the Gmail API, and at most 1,000 messages at
 * Microsoft Graph: repeat the request until the response names no message.
 */
export const updateMessages = /* @__PURE__ */ defineOperation<
  types.UpdateMessagesInput,
  types.UpdateMessagesResult
>(
  'updateMessages',
  'PUT /v1/account/{account}/messages',
)

/**
 * List messages of a mailbox
 *
 * Lists the messages of a mailbox, sorted from newest to oldest. Entries have no texts.
 * Accounts on a mail API (Gmail API, Microsoft Graph) have no page numbers: read the next page
 * with `cursor`.
 */
export const listMessages = /* @__PURE__ */ defineList<
  types.ListMessagesInput,
  types.ListMessagesResult,
  'messages'
>(
  'listMessages',
  'GET /v1/account/{account}/messages',
  'messages',
)

/**
 * Download an attachment
 *
 * Downloads an attachment. The body is the decoded content. The headers `Content-Type` and
 * `Content-Disposition` carry the media type and the file name.
 */
export const getAttachment = /* @__PURE__ */ defineDownload<
  types.GetAttachmentInput
>(
  'getAttachment',
  'GET /v1/account/{account}/attachment/{attachment}',
)

/**
 * Download the source of a message
 *
 * Downloads the source of a message (RFC 5322), as stored on the mail server.
 */
export const getMessageSource = /* @__PURE__ */ defineDownload<
  types.GetMessageSourceInput
>(
  'getMessageSource',
  'GET /v1/account/{account}/message/{message}/source',
)

/**
 * Read the text of a message
 *
 * Reads the plain text and the HTML of a message. `text` in the path is the value of `text.id`
 * of the message.
 */
export const getText = /* @__PURE__ */ defineOperation<
  types.GetTextInput,
  types.GetTextResult
>(
  'getText',
  'GET /v1/account/{account}/text/{text}',
)

/**
 * Search messages of a mailbox
 *
 * Searches messages, sorted from newest to oldest. `path` is required for IMAP accounts. For
 * accounts on a mail API (Gmail API, Microsoft Graph), all messages are searched without
 * `path`. If `search.emailIds` is present, all other terms of the search are ignored.
 */
export const searchMessages = /* @__PURE__ */ defineList<
  types.SearchMessagesInput,
  types.SearchMessagesResult,
  'messages'
>(
  'searchMessages',
  'POST /v1/account/{account}/search',
  'messages',
)

/**
 * Test an OAuth2 application
 *
 * Tests the endpoints and the secret of an OAuth2 application. If the request names an account,
 * the test also requests an access token for the account, and reports the state of its mailbox
 * and its notifications. For applications that receive notifications of Gmail, the test also
 * reports the state of Pub/Sub.
 */
export const checkOAuth2App = /* @__PURE__ */ defineOperation<
  types.CheckOAuth2AppInput,
  types.CheckOAuth2AppResult
>(
  'checkOAuth2App',
  'POST /v1/oauth2/{app}/verify',
  true,
)

/**
 * Register an OAuth2 application
 *
 * Registers an application that was created at an OAuth2 provider. Accounts name its id in
 * `oauth2.provider` and log in with its tokens. Required members depend on `provider`.
 */
export const createOAuth2App = /* @__PURE__ */ defineOperation<
  types.CreateOAuth2AppInput,
  types.CreateOAuth2AppResult
>(
  'createOAuth2App',
  'POST /v1/oauth2',
)

/**
 * List OAuth2 applications
 *
 * Lists the OAuth2 applications, sorted by the time of registration, oldest first.
 */
export const listOAuth2Apps = /* @__PURE__ */ defineList<
  types.ListOAuth2AppsInput,
  types.ListOAuth2AppsResult,
  'apps'
>(
  'listOAuth2Apps',
  'GET /v1/oauth2',
  'apps',
)

/**
 * Delete an OAuth2 application
 *
 * Deletes an OAuth2 application with its secrets. Accounts that use the application remain, but
 * their logins fail with `AppNotFound`.
 */
export const deleteOAuth2App = /* @__PURE__ */ defineOperation<
  types.DeleteOAuth2AppInput,
  types.DeleteOAuth2AppResult
>(
  'deleteOAuth2App',
  'DELETE /v1/oauth2/{app}',
)

/**
 * Read an OAuth2 application
 *
 * Reads the settings of an OAuth2 application, the last errors, the number of accounts that use
 * the application, and their use of the mail API.
 */
export const getOAuth2App = /* @__PURE__ */ defineOperation<
  types.GetOAuth2AppInput,
  types.GetOAuth2AppResult
>(
  'getOAuth2App',
  'GET /v1/oauth2/{app}',
)

/**
 * Change an OAuth2 application
 *
 * Changes an OAuth2 application: the members that the request contains. Absent members keep
 * their values, `false` and `null` remove a value. A masked secret (`******`) keeps the stored
 * secret. The provider cannot be changed.
 */
export const updateOAuth2App = /* @__PURE__ */ defineOperation<
  types.UpdateOAuth2AppInput,
  types.UpdateOAuth2AppResult
>(
  'updateOAuth2App',
  'PUT /v1/oauth2/{app}',
)

/**
 * Get an access token of an account
 *
 * Returns an access token of the OAuth2 provider that is valid now. An expired access token is
 * renewed first. Requires the setting `enableOAuthTokensApi`. For accounts of a service
 * account, the response is a 400 with the code `UnsupportedOperation`, because the access token
 * may open other mailboxes.
 */
export const getOAuthToken = /* @__PURE__ */ defineOperation<
  types.GetOAuthTokenInput,
  types.GetOAuthTokenResult
>(
  'getOAuthToken',
  'GET /v1/account/{account}/oauth-token',
)

/**
 * Read the status of Pub/Sub
 *
 * Lists the OAuth2 applications that receive notifications of Gmail through Pub/Sub, with the
 * last errors of each application.
 */
export const getPubSubStatus = /* @__PURE__ */ defineList<
  types.GetPubSubStatusInput,
  types.GetPubSubStatusResult,
  'apps'
>(
  'getPubSubStatus',
  'GET /v1/pubsub/status',
  'apps',
)

/**
 * Cancel a message in the outbox
 *
 * Cancels a message that is not sent yet and deletes it from the outbox. No event is emitted.
 * Fails with `UnsupportedOperation` while an attempt to send the message runs.
 */
export const deleteOutboxEntry = /* @__PURE__ */ defineOperation<
  types.DeleteOutboxEntryInput,
  types.DeleteOutboxEntryResult
>(
  'deleteOutboxEntry',
  'DELETE /v1/outbox/{queueId}',
)

/**
 * Read a message in the outbox
 *
 * Reads the state and the progress of a submitted message. Sent and failed messages are
 * available during their retention period (`SVC_SENDER_KEEP_FINISHED`, default 1 day).
 */
export const getOutboxEntry = /* @__PURE__ */ defineOperation<
  types.GetOutboxEntryInput,
  types.GetOutboxEntryResult
>(
  'getOutboxEntry',
  'GET /v1/outbox/{queueId}',
)

/**
 * Hold a message in the outbox
 *
 * Holds a message in the outbox. A held message is not sent until it is released or sent with
 * an operation of the API. Fails with `UnsupportedOperation` while an attempt to send the
 * message runs.
 */
export const holdOutboxEntry = /* @__PURE__ */ defineOperation<
  types.HoldOutboxEntryInput,
  types.HoldOutboxEntryResult
>(
  'holdOutboxEntry',
  'PUT /v1/outbox/{queueId}/hold',
)

/**
 * List messages in the outbox
 *
 * Lists messages that were submitted, sorted from oldest to newest. Without `state`, lists
 * queued and held messages. `total` is exact up to 100,000.
 */
export const listOutbox = /* @__PURE__ */ defineList<
  types.ListOutboxInput,
  types.ListOutboxResult,
  'messages'
>(
  'listOutbox',
  'GET /v1/outbox',
  'messages',
)

/**
 * Release a held message
 *
 * Releases a held message. The message is due immediately, or at its `sendAt`. A message that
 * is not held is not changed.
 */
export const releaseOutboxEntry = /* @__PURE__ */ defineOperation<
  types.ReleaseOutboxEntryInput,
  types.ReleaseOutboxEntryResult
>(
  'releaseOutboxEntry',
  'PUT /v1/outbox/{queueId}/release',
)

/**
 * Send a message in the outbox now
 *
 * Makes a held, scheduled or retrying message due immediately, whatever its `sendAt`. The
 * message still waits while the queue `submit` is paused, or while sending through its mail
 * server is suspended after failures.
 */
export const sendOutboxEntry = /* @__PURE__ */ defineOperation<
  types.SendOutboxEntryInput,
  types.SendOutboxEntryResult
>(
  'sendOutboxEntry',
  'PUT /v1/outbox/{queueId}/send',
)

/**
 * Read the state of a queue
 *
 * Reads whether a work queue is paused, and how many entries it has. The queue `submit` sends
 * messages, the queue `notify` delivers webhooks.
 */
export const getQueue = /* @__PURE__ */ defineOperation<
  types.GetQueueInput,
  types.GetQueueResult
>(
  'getQueue',
  'GET /v1/settings/queue/{queue}',
)

/**
 * Pause or resume a queue
 *
 * Pauses or resumes a work queue: `submit` sends messages, `notify` delivers webhooks. All
 * replicas stop starting new work of a paused queue within 1 second. Work in progress is
 * completed.
 */
export const updateQueue = /* @__PURE__ */ defineOperation<
  types.UpdateQueueInput,
  types.UpdateQueueResult
>(
  'updateQueue',
  'PUT /v1/settings/queue/{queue}',
)

/**
 * Read settings
 *
 * Returns the settings that the query names, such as `?webhooks=true&notifyText=true`. Without
 * a query, returns all settings that the token may read. A secret setting is returned as true
 * (set) or false.
 */
export const getSettings = /* @__PURE__ */ defineOperation<
  types.GetSettingsInput,
  types.GetSettingsResult
>(
  'getSettings',
  'GET /v1/settings',
)

/**
 * Change settings
 *
 * Changes all settings in the request, or none if the request is invalid. `null` unsets a
 * setting. All services use the new values within seconds, without a restart. A token with a
 * permissions record cannot change settings (403).
 */
export const updateSettings = /* @__PURE__ */ defineOperation<
  types.UpdateSettingsInput,
  types.UpdateSettingsResult
>(
  'updateSettings',
  'POST /v1/settings',
)

/**
 * Read statistics of the instance
 *
 * Reads versions, connections to Postgres and RabbitMQ, the number of accounts by state, the
 * length of the queues, and counters of events, webhooks, submissions and API calls in the time
 * window of the last `seconds`.
 */
export const getStats = /* @__PURE__ */ defineOperation<
  types.GetStatsInput,
  types.GetStatsResult
>(
  'getStats',
  'GET /v1/stats',
)

/**
 * Submit a stored draft
 *
 * Queues a stored draft for sending, with the content at the time of the request. The draft is
 * sent unchanged, then removed from its mailbox. A draft that is changed before it is sent
 * stays in its mailbox. For accounts on a mail API (Gmail API, Microsoft Graph), the provider
 * sends the stored draft itself, in its thread. The response then has a new Message-ID, which
 * `messageSent` reports as `originalMessageId`. With `envelope`, a new message is sent in the
 * thread of the draft.
 */
export const submitDraft = /* @__PURE__ */ defineSubmission<
  types.SubmitDraftInput,
  types.SubmitDraftResult
>(
  'submitDraft',
  'POST /v1/account/{account}/message/{message}/submit',
)

/**
 * Submit a message
 *
 * Stores a message for sending. The events `messageSent` and `messageFailed` report the result
 * of sending. Recipients come from `to`, `cc` and `bcc`, from `envelope`, from the headers of
 * `raw`, from `mailMerge`, or from the message that `reference` replies to: at most 1,000. If
 * the only recipient has unsubscribed from the list `listId`, the response has `skipped` and no
 * `queueId`. For accounts on a mail API (Gmail API, Microsoft Graph), a draft is created at the
 * provider and sent, so that each message is sent once. An account whose grant permits only
 * sending may send a message again after a crash. Header fields that the message format of a
 * mail API cannot keep are named in `omittedHeaders` of `messageSent`.
 */
export const submitMessage = /* @__PURE__ */ defineSubmission<
  types.SubmitMessageInput,
  types.SubmitMessageResult
>(
  'submitMessage',
  'POST /v1/account/{account}/submit',
)

/**
 * Create a template
 *
 * Creates a template: a subject and texts with placeholders, which a submission names in
 * `template`. A token that is bound to an account always creates the template for that account.
 */
export const createTemplate = /* @__PURE__ */ defineOperation<
  types.CreateTemplateInput,
  types.CreateTemplateResult
>(
  'createTemplate',
  'POST /v1/templates/template',
)

/**
 * Delete a template
 *
 * Deletes a template. Messages in the outbox are not changed.
 */
export const deleteTemplate = /* @__PURE__ */ defineOperation<
  types.DeleteTemplateInput,
  types.DeleteTemplateResult
>(
  'deleteTemplate',
  'DELETE /v1/templates/template/{template}',
)

/**
 * Read a template
 *
 * Reads a template with its texts. A template that is available to all accounts can be read
 * with any token. For a token that is bound to an account, templates of other accounts do not
 * exist (404).
 */
export const getTemplate = /* @__PURE__ */ defineOperation<
  types.GetTemplateInput,
  types.GetTemplateResult
>(
  'getTemplate',
  'GET /v1/templates/template/{template}',
)

/**
 * Change a template
 *
 * Changes a template: the members that the request contains. Absent members keep their values.
 * `content` is replaced as a whole. Messages in the outbox are not changed.
 */
export const updateTemplate = /* @__PURE__ */ defineOperation<
  types.UpdateTemplateInput,
  types.UpdateTemplateResult
>(
  'updateTemplate',
  'PUT /v1/templates/template/{template}',
)

/**
 * Delete all templates of an account
 *
 * Deletes all templates of an account. Templates that are available to all accounts remain.
 * `force` must be true.
 */
export const flushTemplates = /* @__PURE__ */ defineOperation<
  types.FlushTemplatesInput,
  types.FlushTemplatesResult
>(
  'flushTemplates',
  'DELETE /v1/templates/account/{account}',
)

/**
 * List templates
 *
 * Lists the templates of an account. Without `account`, lists the templates that are available
 * to all accounts. A token that is bound to an account must name that account.
 */
export const listTemplates = /* @__PURE__ */ defineList<
  types.ListTemplatesInput,
  types.ListTemplatesResult,
  'templates'
>(
  'listTemplates',
  'GET /v1/templates',
  'templates',
)

/**
 * Import access tokens of EmailEngine
 *
 * Imports access tokens of EmailEngine by their ids, so that clients can keep their tokens.
 * Imported tokens are valid as soon as the request succeeds. The request imports all of its
 * tokens or, after an error, none of them. A repeated request changes nothing. An imported
 * token cannot have more rights than the token that sends the request.
 */
export const importTokens = /* @__PURE__ */ defineOperation<
  types.ImportTokensInput,
  types.ImportTokensResult
>(
  'importTokens',
  'POST /admin/api/tokenImports',
)

/**
 * Create an access token with the scope `*`
 *
 * Creates an access token with the scope `*`, which may call every operation for all accounts:
 * for scripts of operators. Only an owner at the administration pages may create such a token,
 * after a recent factor. Requests with an access token are refused with the status 403. The
 * response is the only place that shows the value of the token. `GET /v1/tokens` lists the
 * token, and `DELETE /v1/tokens/{token}` deletes it.
 */
export const createOperatorToken = /* @__PURE__ */ defineOperation<
  types.CreateOperatorTokenInput,
  types.CreateOperatorTokenResult
>(
  'createOperatorToken',
  'POST /admin/api/operatorTokens',
)

/**
 * Create an access token
 *
 * Creates an access token for the API, or for the IMAP and SMTP proxies. The response is the
 * only place that shows the value of the token: only the SHA-256 of the value is stored. The
 * new token cannot have more rights than the token that sends the request.
 */
export const createToken = /* @__PURE__ */ defineOperation<
  types.CreateTokenInput,
  types.CreateTokenResult
>(
  'createToken',
  'POST /v1/tokens',
)

/**
 * List access tokens
 *
 * Lists access tokens, sorted from newest to oldest. A token that is bound to an account must
 * name that account, and lists only the tokens that are bound to the same account.
 */
export const listTokens = /* @__PURE__ */ defineList<
  types.ListTokensInput,
  types.ListTokensResult,
  'tokens'
>(
  'listTokens',
  'GET /v1/tokens',
  'tokens',
)

/**
 * Create an access token
 *
 * Creates an access token, like `POST /v1/tokens`. The response is the only place that shows
 * the value of the token: only the SHA-256 of the value is stored. The new token cannot have
 * more rights than the token that sends the request.
 */
export const createTokenAlias = /* @__PURE__ */ defineOperation<
  types.CreateTokenAliasInput,
  types.CreateTokenAliasResult
>(
  'createTokenAlias',
  'POST /v1/token',
)

/**
 * Delete an access token by value or id
 *
 * Deletes an access token. Requests with the token fail within 1 second on all replicas. A
 * token that does not exist is not an error.
 */
export const deleteToken = /* @__PURE__ */ defineOperation<
  types.DeleteTokenInput,
  types.DeleteTokenResult
>(
  'deleteToken',
  'DELETE /v1/tokens/{token}',
)

/**
 * Read an access token by value or id
 *
 * Reads the scopes, restrictions, permissions and last use of an access token. The path names
 * the token by its value or by its id (SHA-256 of the value).
 */
export const getToken = /* @__PURE__ */ defineOperation<
  types.GetTokenInput,
  types.GetTokenResult
>(
  'getToken',
  'GET /v1/tokens/{token}',
)

/**
 * Delete an access token by value or id
 *
 * Deletes an access token, like `DELETE /v1/tokens/{token}`. Requests with the token fail
 * within 1 second on all replicas. A token that does not exist is not an error.
 */
export const deleteTokenAlias = /* @__PURE__ */ defineOperation<
  types.DeleteTokenAliasInput,
  types.DeleteTokenAliasResult
>(
  'deleteTokenAlias',
  'DELETE /v1/token/{token}',
)

/**
 * Read the uses of an access token
 *
 * Lists the uses of an access token, sorted from newest to oldest: requests and proxy logins
 * that were allowed or denied. The log is empty unless the setting `tokenAuditLog` is on. The
 * log of a deleted token remains available by the id of the token for `SVC_TOKEN_LOG_AGE`
 * (default 7 days) after the last use.
 */
export const getTokenLog = /* @__PURE__ */ defineList<
  types.GetTokenLogInput,
  types.GetTokenLogResult,
  'entries'
>(
  'getTokenLog',
  'GET /v1/tokens/{token}/log',
  'entries',
)

/**
 * Upload a message into a mailbox
 *
 * Stores a message in a mailbox, without sending it. The request has either `raw` or the fields
 * to compose the message from. The response is sent when the mail server has stored the
 * message.
 */
export const uploadMessage = /* @__PURE__ */ defineOperation<
  types.UploadMessageInput,
  types.UploadMessageResult
>(
  'uploadMessage',
  'POST /v1/account/{account}/message',
)

/**
 * Rebuild the mailbox index of an account
 *
 * Deletes and rebuilds the mailbox index of an account. Message ids remain valid. The only
 * events are `messageNew` for messages that arrived since `notifyFrom`. A paused account is
 * rejected. Does nothing unless `flush` is true.
 */
export const flushAccount = /* @__PURE__ */ defineOperation<
  types.FlushAccountInput,
  types.FlushAccountResult
>(
  'flushAccount',
  'PUT /v1/account/{account}/flush',
)

/**
 * List signatures stored by the provider
 *
 * Reads the email signatures that the Gmail API stores for the sender addresses of the mailbox.
 * The HTML is not sanitized. Other providers store no signatures: `signaturesSupported` is then
 * false.
 */
export const getServerSignatures = /* @__PURE__ */ defineOperation<
  types.GetServerSignaturesInput,
  types.GetServerSignaturesResult
>(
  'getServerSignatures',
  'GET /v1/account/{account}/server-signatures',
)

/**
 * Reconnect an account
 *
 * Closes and reopens the connections of an account to its mail server. Also resumes syncing
 * that was switched off after repeated authentication failures. A paused account is rejected.
 * Does nothing unless `reconnect` is true.
 */
export const reconnectAccount = /* @__PURE__ */ defineOperation<
  types.ReconnectAccountInput,
  types.ReconnectAccountResult
>(
  'reconnectAccount',
  'PUT /v1/account/{account}/reconnect',
)

/**
 * Sync all mailboxes of an account
 *
 * Starts a sync of all mailboxes of an account. The response is sent when the sync has started,
 * not at its end. Does nothing unless `sync` is true.
 */
export const syncAccount = /* @__PURE__ */ defineOperation<
  types.SyncAccountInput,
  types.SyncAccountResult
>(
  'syncAccount',
  'PUT /v1/account/{account}/sync',
)

/**
 * Test mail servers and credentials
 *
 * Tests the connection and the login at an incoming server, an outgoing server, or both.
 * Nothing is stored. A failed test is part of the response, which has status 200.
 */
export const verifyAccount = /* @__PURE__ */ defineOperation<
  types.VerifyAccountInput,
  types.VerifyAccountResult
>(
  'verifyAccount',
  'POST /v1/verifyAccount',
  true,
)

/**
 * Replay all failed webhook deliveries that match a filter
 *
 * Replays all failed webhook deliveries that match a filter. The replay runs in the background,
 * in the order in which the deliveries failed. Deliveries that were replayed before are
 * skipped.
 */
export const createWebhookReplay = /* @__PURE__ */ defineOperation<
  types.CreateWebhookReplayInput,
  types.CreateWebhookReplayResult
>(
  'createWebhookReplay',
  'POST /admin/api/webhookReplays',
)

/**
 * List webhook replays
 *
 * Lists replays of failed webhook deliveries with their progress, sorted from newest to oldest.
 */
export const listWebhookReplays = /* @__PURE__ */ defineList<
  types.ListWebhookReplaysInput,
  types.ListWebhookReplaysResult,
  'replays'
>(
  'listWebhookReplays',
  'GET /admin/api/webhookReplays',
  'replays',
)

/**
 * Read a webhook delivery with its payload, attempts and replays
 *
 * Reads a webhook delivery with its webhook body, its attempts and the ids of its replays.
 * Attempts are listed only if the setting `webhooksAttemptLog` is on.
 */
export const getWebhookDelivery = /* @__PURE__ */ defineOperation<
  types.GetWebhookDeliveryInput,
  types.GetWebhookDeliveryResult
>(
  'getWebhookDelivery',
  'GET /admin/api/webhookDeliveries/{delivery}',
)

/**
 * Read the progress of a webhook replay
 *
 * Reads the state of a replay of failed webhook deliveries, and how many deliveries it has
 * replayed.
 */
export const getWebhookReplay = /* @__PURE__ */ defineOperation<
  types.GetWebhookReplayInput,
  types.GetWebhookReplayResult
>(
  'getWebhookReplay',
  'GET /admin/api/webhookReplays/{replay}',
)

/**
 * List webhook deliveries
 *
 * Lists webhook deliveries in one state, latest first. Without `state`, lists failed
 * deliveries. Each delivery is one event on its way to one target.
 */
export const listWebhookDeliveries = /* @__PURE__ */ defineList<
  types.ListWebhookDeliveriesInput,
  types.ListWebhookDeliveriesResult,
  'deliveries'
>(
  'listWebhookDeliveries',
  'GET /admin/api/webhookDeliveries',
  'deliveries',
)

/**
 * Replay a failed webhook delivery
 *
 * Replays a failed webhook delivery in the background. The replay is a new delivery with its
 * own id and the same event id. A delivery can be replayed once.
 */
export const retryWebhookDelivery = /* @__PURE__ */ defineOperation<
  types.RetryWebhookDeliveryInput,
  types.RetryWebhookDeliveryResult
>(
  'retryWebhookDelivery',
  'POST /admin/api/webhookDeliveries/{delivery}/retry',
)

/**
 * Create a webhook route
 *
 * Creates a webhook route, which sends events of all accounts to an additional target. The
 * filter function `content.fn` selects the events, the map function `content.map` changes the
 * webhook bodies.
 */
export const createWebhookRoute = /* @__PURE__ */ defineOperation<
  types.CreateWebhookRouteInput,
  types.CreateWebhookRouteResult
>(
  'createWebhookRoute',
  'POST /admin/api/webhookRoutes',
)

/**
 * Delete a webhook route
 *
 * Deletes a webhook route. Pending deliveries of the route are dropped.
 */
export const deleteWebhookRoute = /* @__PURE__ */ defineOperation<
  types.DeleteWebhookRouteInput,
  types.DeleteWebhookRouteResult
>(
  'deleteWebhookRoute',
  'DELETE /admin/api/webhookRoutes/{webhookRoute}',
)

/**
 * Change a webhook route
 *
 * Changes a webhook route: the members that the request contains. Absent members keep their
 * values, also in `content`. A masked password or header value (`******`) keeps the stored
 * value. A masked password is accepted only if the address of the target is unchanged.
 */
export const updateWebhookRoute = /* @__PURE__ */ defineOperation<
  types.UpdateWebhookRouteInput,
  types.UpdateWebhookRouteResult
>(
  'updateWebhookRoute',
  'PUT /admin/api/webhookRoutes/{webhookRoute}',
)

/**
 * Read a webhook route
 *
 * Reads a webhook route with the source of its filter function and its map function.
 */
export const getWebhookRoute = /* @__PURE__ */ defineOperation<
  types.GetWebhookRouteInput,
  types.GetWebhookRouteResult
>(
  'getWebhookRoute',
  'GET /v1/webhookRoutes/webhookRoute/{webhookRoute}',
)

/**
 * List errors of the functions of a webhook route
 *
 * Lists the latest 20 errors of the filter function and the map function of a webhook route,
 * newest first. For people at the administration pages without the active right to read mail,
 * the texts of the errors are hidden.
 */
export const listWebhookRouteErrors = /* @__PURE__ */ defineOperation<
  types.ListWebhookRouteErrorsInput,
  types.ListWebhookRouteErrorsResult
>(
  'listWebhookRouteErrors',
  'GET /admin/api/webhookRoutes/{webhookRoute}/errors',
)

/**
 * List webhook routes
 *
 * Lists the webhook routes, sorted by the time of creation. A route sends events to an
 * additional target.
 */
export const listWebhookRoutes = /* @__PURE__ */ defineList<
  types.ListWebhookRoutesInput,
  types.ListWebhookRoutesResult,
  'webhooks'
>(
  'listWebhookRoutes',
  'GET /v1/webhookRoutes',
  'webhooks',
)

/**
 * Test the functions of a webhook route
 *
 * Runs the filter function and the map function of a webhook route with a webhook body. Nothing
 * is sent or stored.
 */
export const testWebhookRoute = /* @__PURE__ */ defineOperation<
  types.TestWebhookRouteInput,
  types.TestWebhookRouteResult
>(
  'testWebhookRoute',
  'POST /admin/api/webhookRoutes/test',
)

/**
 * List webhook targets
 *
 * Lists addresses of webhook targets with the state of their deliveries, sorted by address.
 * These are all addresses with stored deliveries, the address of the default target, and the
 * addresses in the setting `webhookTargets`. Delivered webhooks are stored for
 * `SVC_WEBHOOK_KEEP_DELIVERED` (default 1 day).
 */
export const listWebhookTargets = /* @__PURE__ */ defineList<
  types.ListWebhookTargetsInput,
  types.ListWebhookTargetsResult,
  'targets'
>(
  'listWebhookTargets',
  'GET /admin/api/webhookTargets',
  'targets',
)

/**
 * Test a webhook target
 *
 * Sends one signed webhook with the event `test` to a webhook target and returns the response.
 * Without `url` and `account`, tests the default target. The call is not repeated and not
 * stored, and the setting `webhooksEnabled` has no effect. A failed call is part of the
 * response, which has status 200. Each webhook-dispatcher admits at most 5 concurrent tests,
 * and 1 test per second after a burst of 10. Further tests get the status 429 with `ttl`.
 */
export const testWebhookTarget = /* @__PURE__ */ defineOperation<
  types.TestWebhookTargetInput,
  types.TestWebhookTargetResult
>(
  'testWebhookTarget',
  'POST /admin/api/webhookTargets/test',
)
