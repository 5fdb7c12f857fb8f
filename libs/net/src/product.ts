import { release } from '@posthorn/config/release'

/** Web address of Posthorn, this product. Names below `.example` are reserved (RFC 2606 §2). */
export const productAddress = 'https://posthorn.example/'

/** Value of the header `User-Agent`: product, version and product address (RFC 9110 §10.1.5). */
export const productAgent = `Posthorn/${release.version} (+${productAddress})`
