/**
 * Paths of api-gateway that mail providers notify. The paths are registered at providers, so they
 * must not change.
 */
export const notificationPaths = {
  graph: '/oauth/msg/notification',
  graphLifecycle: '/oauth/msg/lifecycle',
  gmailPush: '/oauth/gmail/push',
} as const

/** URLs of the notifications of Microsoft Graph for one account. */
export function graphNotificationUrls(
  baseUrl: string,
  account: string,
): { changes: string; lifecycle: string } {
  const urlOf = (path: string) => {
    const url = new URL(path, baseUrl)
    url.searchParams.set('account', account)
    return url.href
  }
  return {
    changes: urlOf(notificationPaths.graph),
    lifecycle: urlOf(notificationPaths.graphLifecycle),
  }
}

/** URL for push subscriptions of Pub/Sub at api-gateway, and audience of the tokens of Pub/Sub. */
export function gmailPushUrl(baseUrl: string): string {
  return new URL(notificationPaths.gmailPush, baseUrl).href
}
