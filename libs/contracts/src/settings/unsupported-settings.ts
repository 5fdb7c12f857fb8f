const noExports = 'there are no exports; list messages with GET /v1/account/{account}/messages'
const documentStore = 'send events to an index of your own with a webhook route'
const operators = 'there are no operator logins in the API; use tokens'
const mcp = 'there is no MCP endpoint; call the API with a token'
const errors = 'errors are in the logs, and in traces with OTEL_EXPORTER_OTLP_ENDPOINT'
const applications = 'create an OAuth2 application with POST /v1/oauth2'

/**
 * Settings of comparable products that would have no effect in Posthorn, each with a text that
 * names the replacement. Requests that contain such a setting are rejected.
 */
export const unsupportedSettings: Readonly<Record<string, string>> = {
  queueKeep: 'set SVC_SENDER_KEEP_FINISHED and SVC_WEBHOOK_KEEP_DELIVERED',
  sentryEnabled: errors,
  sentryDsn: errors,
  trackSentMessages: 'use trackOpens and trackClicks',
  disableTokens: 'set SVC_REQUIRE_API_AUTH',
  openAiPreProcessingFn: 'use openAiPrompt, which selects what a summary contains',
  openAiGenerateEmbeddings: 'compute embeddings in the receiver of messageNew',
  generateRiskAssessment: 'assess messages in the receiver of messageNew',
  documentStoreEnabled: documentStore,
  documentStoreUrl: documentStore,
  documentStoreIndex: documentStore,
  documentStoreAuthEnabled: documentStore,
  documentStoreUsername: documentStore,
  documentStorePassword: documentStore,
  documentStoreGenerateEmbeddings: documentStore,
  documentStorePreProcessingEnabled: documentStore,
  documentStoreChatModel: documentStore,
  exportMaxConcurrent: noExports,
  exportMaxGlobalConcurrent: noExports,
  exportMaxMessages: noExports,
  exportMaxSize: noExports,
  exportMaxAge: noExports,
  exportPath: noExports,
  gmailExportBatchSize: noExports,
  outlookExportBatchSize: noExports,
  mcpEnabled: mcp,
  mcpOAuthEnabled: mcp,
  authData: operators,
  totpEnabled: operators,
  totpSeed: operators,
  cookiePassword: 'cookies need no password here',
  license: 'no license key is required',
  webhookErrorFlag: 'read failed deliveries with GET /admin/api/webhookDeliveries',
  gmailClientSecret: applications,
  gmailServiceKey: applications,
  outlookClientSecret: applications,
  mailRuClientSecret: applications,
}

/**
 * Schema option with which a validation error names the replacement of an unsupported setting. See
 * the function `check`.
 */
export const namesUnsupported = { 'x-unsupported': unsupportedSettings }
