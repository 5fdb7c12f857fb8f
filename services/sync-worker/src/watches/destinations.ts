import type { GraphNotificationUrls } from '@posthorn/backends/graph'
import { graphNotificationUrls } from '@posthorn/contracts/notification-urls'
import type { Db, SettingsCache } from '@posthorn/db'
import { namesOf } from '../pubsub/pubsub-subscriptions.ts'
import { findPubSubAppOf } from '../store/pubsub.ts'

/** Destinations (topic or URLs) to which mail providers send notifications. */
export interface Destinations {
  /**
   * Finds the Pub/Sub topic for the accounts of an OAuth2 application. Undefined if the application
   * has no topic.
   */
  findTopic(application: string): Promise<string | undefined>
  /**
   * Returns the URLs of this installation to which Microsoft Graph sends notifications of an
   * account. Undefined without a public URL.
   */
  findUrls(account: string): Promise<GraphNotificationUrls | undefined>
}

/** Reads the destinations of notifications from the settings and the OAuth2 applications. */
export function createDestinations({
  db,
  settings,
}: {
  db: Db
  settings: Pick<SettingsCache, 'get'>
}): Destinations {
  return {
    async findTopic(application) {
      const app = await findPubSubAppOf(db, application)
      return app && namesOf(app.id, app.config)?.topic
    },
    async findUrls(account) {
      const { notificationBaseUrl, serviceUrl } = await settings.get()
      const base = notificationBaseUrl ?? serviceUrl
      return base ? graphNotificationUrls(base, account) : undefined
    },
  }
}
