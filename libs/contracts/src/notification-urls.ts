/** Paths of api-gateway that mail providers notify. Registered at providers, so they stay. */
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

/** URL for push subscriptions of Pub/Sub, and audience of their tokens. */
export function gmailPushUrl(baseUrl: string): string {
  return new URL(notificationPaths.gmailPush, baseUrl).href
}
