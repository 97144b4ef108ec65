export { Offers, type OfferRequest } from './offers.ts';
export type { OfferServer } from './offer-server.ts';
