export REWARDHOOK_SECRET_KEY='__SECRET_KEY__'

curl -X POST __API_URL__/api/open/orders/sync/ \
  -H "X-Service-Key: $REWARDHOOK_SECRET_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "orders": [{
      "order_id": "test-1001",
      "member_id": "member-1",
      "order_amount": 30000,
      "paid_amount": 30000,
      "shipping_amount": 0,
      "order_date": "__NOW__",
      "paid_at": "__NOW__"
    }]
  }'
