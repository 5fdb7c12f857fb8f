export { createGraphApi, type GraphApiDeps } from './graph-api.ts'
export type { GraphNotificationUrls } from './watches.ts'
