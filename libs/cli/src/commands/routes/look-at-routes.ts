import type { RunCommand } from '../../program/command.ts'
import { localTime } from '../../program/times.ts'
import { findRouteId, listRoutes } from './find-route.ts'

/** Command `routes list`: prints the webhook routes. */
export const printRoutes: RunCommand = async ({ posthorn, output, signal }) => {
  const client = await posthorn()
  await output.table(
    listRoutes(client, signal),
    [
      { title: 'ID', isKey: true, text: ({ id }) => id },
      { title: 'NAME', text: ({ name }) => name },
      { title: 'ENABLED', text: ({ enabled }) => (enabled ? 'yes' : 'no') },
      { title: 'DELIVERIES', text: ({ tcount }) => tcount },
      { title: 'EXPIRES', text: ({ expiresAt }) => localTime(expiresAt) },
      { title: 'TARGET', text: ({ targetUrl }) => targetUrl },
      { title: 'LAST ERROR', text: ({ webhookErrorFlag }) => webhookErrorFlag },
    ],
    { empty: 'no webhook routes' },
  )
}

/** Command `routes show`: prints a webhook route with its filter and map functions. */
export const showRoute: RunCommand = async ({ posthorn, output, signal }, [text = '']) => {
  const client = await posthorn()
  const webhookRoute = await findRouteId(client, text, signal)
  const route = await client.getWebhookRoute({ webhookRoute }, { signal })
  const { fn, map } = route.content
  await output.result(route, [
    `id          ${route.id}`,
    `name        ${route.name}`,
    ...(route.description ? [`description ${route.description}`] : []),
    `enabled     ${route.enabled ? 'yes' : 'no'}`,
    `target      ${route.targetUrl}`,
    `deliveries  ${route.tcount}`,
    ...(route.webhookErrorFlag ? [`last error  ${route.webhookErrorFlag}`] : []),
    ...(route.expiresAt ? [`expires     ${localTime(route.expiresAt)}`] : []),
    ...route.customHeaders.map(({ key, value }) => `header      ${key}: ${value}`),
    ...sourceLines('filter', fn),
    ...sourceLines('map', map),
  ])
}

function sourceLines(name: string, source: string | null): string[] {
  return source === null ? [] : [name, ...source.split('\n').map((line) => `  ${line}`)]
}

/** Command that prints the latest errors of the functions of a webhook route. */
export const printRouteErrors: RunCommand = async ({ posthorn, output, signal }, [text = '']) => {
  const client = await posthorn()
  const webhookRoute = await findRouteId(client, text, signal)
  const { errors } = await client.listWebhookRouteErrors({ webhookRoute }, { signal })
  await output.table(
    errors,
    [
      { title: 'TIME', text: ({ created }) => localTime(created) },
      { title: 'FUNCTION', text: (error) => error.function },
      { title: 'EVENT', text: ({ event }) => event },
      { title: 'ACCOUNT', text: ({ account }) => account },
      { title: 'EVENT ID', text: ({ eventId }) => eventId },
      { title: 'ERROR', text: ({ message }) => message },
    ],
    { empty: 'no errors' },
  )
}

/** Command `routes delete`: deletes a webhook route. */
export const deleteRoute: RunCommand = async ({ posthorn, output, signal }, [text = '']) => {
  const client = await posthorn()
  const webhookRoute = await findRouteId(client, text, signal)
  const deleted = await client.deleteWebhookRoute({ webhookRoute }, { signal })
  await output.result(deleted, `deleted the route ${webhookRoute}`)
}
