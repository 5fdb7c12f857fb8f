import { connect } from 'amqplib'

export interface BrokerTap extends AsyncDisposable {
  /** Messages published to RabbitMQ, one string per message: routing key, properties and body. */
  readonly messages: readonly string[]
}

/**
 * Receives a copy of each message that is published to exchanges of RabbitMQ. `keys` has the
 * binding keys per exchange.
 */
export async function tapBroker(
  url: string,
  keys: Readonly<Record<string, readonly string[]>>,
): Promise<BrokerTap> {
  const model = await connect(url)
  const channel = await model.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  for (const [exchange, list] of Object.entries(keys))
    await Promise.all(list.map((key) => channel.bindQueue(queue, exchange, key)))
  const messages: string[] = []
  await channel.consume(
    queue,
    (message) => {
      if (!message) return
      const { fields, properties, content } = message
      messages.push(`${fields.routingKey} ${JSON.stringify(properties)} ${content.toString()}`)
    },
    { noAck: true },
  )
  return { messages, [Symbol.asyncDispose]: () => model.close() }
}
