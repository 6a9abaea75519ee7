"""What can be watched for in a training, as plain descriptions: the same for menu, check box and page."""
