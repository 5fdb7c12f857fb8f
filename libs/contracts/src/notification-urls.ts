/**
 * Paths of api-gateway for notifications of mail providers. Providers store these paths, so the
 * paths must not change.
 */
export const notificationPaths = {
  graph: '/oauth/msg/notification',
  graphLifecycle: '/oauth/msg/lifecycle',
  gmailPush: '/oauth/gmail/push',
} as const

/** URLs to which Microsoft Graph sends notifications about one account. */
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

/**
 * URL of api-gateway for push subscriptions of Pub/Sub. The same URL is the audience of Pub/Sub's
 * tokens.
 */
export function gmailPushUrl(baseUrl: string): string {
  return new URL(notificationPaths.gmailPush, baseUrl).href
}
