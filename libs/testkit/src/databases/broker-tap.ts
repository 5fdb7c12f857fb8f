import { type ChannelModel, connect } from 'amqplib'

export interface BrokerTap extends AsyncDisposable {
  /** All that was published so far, a text a message: key, properties and body. */
  readonly messages: readonly string[]
}

/** Hears what is published on exchanges, beside those it is for. `keys` are the binding keys for each. */
export async function tapBroker(
  url: string,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<BrokerTap> {
  const model: ChannelModel = await connect(url)
  const channel = await model.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  for (const [exchange, list] of Object.entries(keys))
    await Promise.all(list.map((key) => channel.bindQueue(queue, exchange, key)))
  const heard: string[] = []
  await channel.consume(
    queue,
    (message) => {
      if (!message) return
      const { fields, properties, content } = message
      heard.push(`${fields.routingKey} ${JSON.stringify(properties)} ${content.toString()}`)
    },
    { noAck: true },
  )
  return { messages: heard, [Symbol.asyncDispose]: () => model.close() }
}
