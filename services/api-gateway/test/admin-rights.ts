/**
 * Rights of people at the administration pages, written by hand to be compared with the contracts.
 * Columns: operation; roles by their first letters (`O`wner, o`P`erator, `S`upport, `A`uditor);
 * `mail`: needs the active right to read mail; `step-up`: needs a recent factor.
 */
const table = `
  listAccounts               OPSA
  getAccount                 OPSA
  getServerSignatures        OPSA
  followChanges              OPSA
  getAutoconfig              OPSA
  listMailboxes              OPSA
  listOutbox                 OPSA
  getOutboxEntry             OPSA
  listWebhookDeliveries      OPSA
  getWebhookDelivery         OPSA
  listEvents                 OPSA
  getEvent                   OPSA
  followEvents               OPSA
  listWebhookReplays         OPSA
  listWebhookTargets         OPSA
  getWebhookReplay           OPSA
  getStats                   OPSA
  getStatsSeries             OPSA
  listFindings               OPSA
  listWorkers                OPA
  listMailProxies            OPA
  releaseWorker              OP
  getPubSubStatus            OPSA
  listAccountJobs            OPSA
  getAccountJob              OPSA
  listOutboxJobs             OPSA
  getOutboxJob               OPSA

  reconnectAccount           OPS
  syncAccount                OPS
  holdOutboxEntry            OPS
  releaseOutboxEntry         OPS
  sendOutboxEntry            OPS
  retryWebhookDelivery       OPS
  createWebhookReplay        OPS
  createAccountJob           OPS
  cancelAccountJob           OPS
  createOutboxJob            OPS
  cancelOutboxJob            OPS

  getLogs                    OPSA  mail
  listMessages               OPSA  mail
  searchMessages             OPSA  mail
  getMessage                 OPSA  mail
  getMessageSource           OPSA  mail
  getText                    OPSA  mail
  getAttachment              OPSA  mail
  downloadExport             OPSA  mail

  listTemplates              OPA
  getTemplate                OPA
  listGateways               OPA
  getGateway                 OPA
  listBlocklists             OPA
  getBlocklist               OPA
  listExports                OPA
  listAllExports             OPA
  getExport                  OPA
  listWebhookRoutes          OPA
  getWebhookRoute            OPA
  listWebhookRouteErrors     OPA
  listTokens                 OPA
  listTokensAlias            OPA
  getToken                   OPA
  getTokenLog                OPA
  listOAuth2Apps             OPA
  getOAuth2App               OPA
  listKeys                   OPA
  getQueue                   OPA
  getSettings                OPA
  getLicense                 OPA

  createAccount              OP
  updateAccount              OP
  deleteAccount              OP
  flushAccount               OP
  verifyAccount              OP
  createAuthenticationForm   OP
  createMailbox              OP
  updateMailbox              OP
  updateMessage              OP
  updateMessages             OP
  moveMessage                OP
  moveMessages               OP
  deleteMessage              OP
  uploadMessage              OP
  submitMessage              OP
  submitDraft                OP
  deleteOutboxEntry          OP
  createTemplate             OP
  updateTemplate             OP
  deleteTemplate             OP
  createGateway              OP
  updateGateway              OP
  deleteGateway              OP
  addToBlocklist             OP
  removeFromBlocklist        OP
  createExport               OP
  deleteExport               OP
  testWebhookTarget          OP
  testWebhookRoute           OP
  createWebhookRoute         OP
  updateWebhookRoute         OP
  deleteWebhookRoute         OP
  createToken                OP
  createTokenAlias           OP
  deleteToken                OP
  deleteTokenAlias           OP
  checkOAuth2App             OP
  createOAuth2App            OP
  updateOAuth2App            OP
  deleteOAuth2App            OP
  updateQueue                OP
  updateSettings             OP
  setLicense                 OP
  deleteLicense              OP

  deleteMailbox              OP    step-up
  deleteMessages             OP    step-up
  flushTemplates             OP    step-up
  importAccounts             OP    step-up
  importTokens               OP    step-up
  getOAuthToken              OP    mail step-up
  exportAccounts             O     step-up
  createOperatorToken        O     step-up
  importLinkKey              O     step-up
`

const roleOf: Record<string, string> = { O: 'owner', P: 'operator', S: 'support', A: 'auditor' }

export interface ExpectedRights {
  roles: readonly string[]
  mail: boolean
  stepUp: boolean
}

/** Expected rights by operation id. */
export const expectedRights: ReadonlyMap<string, ExpectedRights> = new Map(
  table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([id = '']) => id !== '')
    .map(([id = '', letters = '', ...needs]) => [
      id,
      {
        roles: letters.split('').map((letter) => roleOf[letter] ?? ''),
        mail: needs.includes('mail'),
        stepUp: needs.includes('step-up'),
      },
    ]),
)
