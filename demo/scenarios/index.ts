import type { Scenario } from '../simulator/model.ts';
import { checkoutDegrading } from './checkout-degrading.ts';
import { checkoutErrors } from './checkout-errors.ts';
import { ordersSlow } from './orders-slow.ts';
import { paymentsFailing } from './payments-failing.ts';
import { productPagesSlow } from './product-pages-slow.ts';
import { storefrontSlow } from './storefront-slow.ts';

/** The demo incidents. `checkout-errors` is the one that `npm run demo` investigates. */
export const scenarios: Scenario[] = [
  checkoutErrors,
  storefrontSlow,
  productPagesSlow,
  ordersSlow,
  checkoutDegrading,
  paymentsFailing,
];
