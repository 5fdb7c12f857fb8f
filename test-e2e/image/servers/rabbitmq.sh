#!/bin/sh
# Starts a broker with the administrator posthorn. Needs PASSWORD.
set -eu
cat > /etc/rabbitmq/rabbitmq.conf <<SETTINGS
loopback_users = none
default_user = posthorn
default_pass = $PASSWORD
log.console = true
log.file = false
management_agent.disable_metrics_collector = true
disk_free_limit.absolute = 64MB
vm_memory_high_watermark.absolute = 1GB
SETTINGS
export HOME=/var/lib/rabbitmq RABBITMQ_NODENAME=mq@localhost
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='+sbwt none +sbwtdcpu none +sbwtdio none +S 2:2'
exec /usr/lib/rabbitmq/bin/rabbitmq-server
