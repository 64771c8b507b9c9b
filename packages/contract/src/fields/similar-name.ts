/** Longer names are not compared: no known name is nearly as long. */
const MAX_LENGTH = 40;

/**
 * What other systems and shops call the fields, without case and separators, and the fields that this can stand for. A name is
 * only taken for a field that its object has.
 */
const otherNames = new Map<string, readonly string[]>(
  Object.entries({
    canceledat: ['cancelled_at'],
    cancelat: ['cancelled_at'],
    canceldate: ['cancelled_at'],
    cancelleddate: ['cancelled_at'],
    canceleddate: ['cancelled_at'],
    cancelled: ['cancelled_at'],
    refundedat: ['returned_at'],
    refundat: ['returned_at'],
    refunddate: ['returned_at'],
    refunded: ['returned_at'],
    returnat: ['returned_at'],
    returndate: ['returned_at'],
    returned: ['returned_at'],
    payedat: ['paid_at'],
    paymentat: ['paid_at'],
    paymentdate: ['paid_at'],
    paiddate: ['paid_at'],
    paid: ['paid_at'],
    ordernumber: ['order_id'],
    orderno: ['order_id'],
    ordernum: ['order_id'],
    orderedat: ['order_date'],
    orderat: ['order_date'],
    ordertime: ['order_date'],
    createdat: ['order_date'],
    memberno: ['member_id'],
    customerid: ['member_id', 'user_id'],
    memberid: ['user_id'],
    userid: ['member_id'],
    ordertotal: ['order_amount'],
    totalamount: ['order_amount'],
    amount: ['order_amount'],
    total: ['order_amount'],
    amountpaid: ['paid_amount'],
    paymentamount: ['paid_amount'],
    shippingfee: ['shipping_amount'],
    shippingcost: ['shipping_amount'],
    deliveryfee: ['shipping_amount'],
    isfirstorder: ['first_order'],
    firstpurchase: ['first_order'],
    modifiedat: ['updated_at'],
    updateat: ['updated_at'],
    currencycode: ['currency'],
    products: ['items'],
    orderitems: ['items'],
    lineitems: ['items'],
    item: ['items'],
    order: ['orders'],
    orderlist: ['orders'],
    productno: ['product_id'],
    itemid: ['product_id'],
    itemname: ['product_name'],
    name: ['product_name'],
    qty: ['quantity'],
    count: ['quantity'],
    unitprice: ['price'],
    listprice: ['price'],
    code: ['referral_code'],
    refereeid: ['referee_member_id'],
    referrerid: ['referrer_member_id'],
    refererid: ['referrer_member_id'],
    referermemberid: ['referrer_member_id'],
    userhash: ['user_hash'],
    clickid: ['click_id'],
  }),
);

/**
 * The known name that another one stands for: the same but for case and separators (`paidAt`, `order_Id`), or one of a fixed
 * list (`canceled_at`, `refunded_at`). Undefined when there is none.
 */
export function similarName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const fields = [...known];
  const letters = withoutCase(name);
  return (
    fields.find((field) => withoutCase(field) === letters) ??
    otherNames.get(letters)?.find((field) => fields.includes(field))
  );
}

const withoutCase = (name: string): string => name.toLowerCase().replaceAll(/[_\-. ]/g, '');
