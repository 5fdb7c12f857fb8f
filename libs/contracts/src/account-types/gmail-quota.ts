/**
 * Quota units that each method of the Gmail API costs (quota page of the Gmail API, May 2026).
 * These units apply to projects created since May 2026, and to projects without calls from November
 * 2025 to April 2026. Method names are the ids in the discovery document without `gmail.users.`.
 */
const since2026 = {
  getProfile: 1,
  'history.list': 2,
  watch: 100,
  stop: 50,
  'labels.list': 1,
  'labels.get': 1,
  'labels.create': 5,
  'labels.update': 5,
  'labels.delete': 5,
  'messages.list': 5,
  'messages.get': 20,
  'messages.attachments.get': 20,
  'messages.modify': 5,
  'messages.batchModify': 50,
  'messages.trash': 20,
  'messages.untrash': 20,
  'messages.delete': 10,
  'messages.batchDelete': 50,
  'messages.insert': 25,
  'messages.import': 25,
  'messages.send': 100,
  'drafts.list': 5,
  'drafts.get': 20,
  'drafts.create': 10,
  'drafts.update': 15,
  'drafts.send': 100,
  'drafts.delete': 10,
  'threads.list': 10,
  'threads.get': 40,
  'threads.modify': 10,
  'threads.trash': 20,
  'threads.untrash': 20,
  'threads.delete': 20,
  'settings.sendAs.list': 1,
  'settings.sendAs.get': 1,
} as const

/**
 * Quota units of those Gmail API methods that cost a different number of units in older Google
 * Cloud projects.
 */
const before2026 = {
  'messages.get': 5,
  'messages.attachments.get': 5,
  'messages.trash': 5,
  'messages.untrash': 5,
  'drafts.get': 5,
  'threads.get': 10,
  'threads.trash': 10,
  'threads.untrash': 10,
} as const

/**
 * Quota tables of the Gmail API. The table that applies depends on the age of the Google Cloud
 * project.
 */
export const gmailQuotas = {
  since2026: { accountUnits: 6_000, costs: { ...since2026 } },
  before2026: { accountUnits: 15_000, costs: { ...since2026, ...before2026 } },
} as const

/**
 * Quota units per minute for all mailboxes of a Google Cloud project. The number is the same in
 * both quota tables of the Gmail API.
 */
export const gmailProjectUnits = 1_200_000
